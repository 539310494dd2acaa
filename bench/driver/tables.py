"""The measurements, one function a table. Each returns Table objects: text for people, figures for machines.

Boundaries (what a figure covers) are said in each table's own words. No result is kept from one run to the next, and every timed
run's answer is checked against the reference before its time counts.
"""

import hashlib
import statistics
from dataclasses import dataclass, field, replace

from . import measure, wasmfile
from .build import BuildError
from .engines import BUDGET, Engine, failure
from .workloads import Workload

# Baselines that the summaries quote whenever they were measured.
REFERENCES = ["native", "wasm3", "wasm-interp"]
LARGE_MEMORY_PAGES = 800  # 50 MiB


@dataclass
class Table:
    key: str
    title: str
    boundary: str
    columns: list
    rows: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    data: dict = field(default_factory=dict)


@dataclass
class Cell:
    """One engine on one workload: nanoseconds for one unit of work in each round, or why there are none."""
    units: int
    per_unit_ns: list = field(default_factory=list)
    startup_ns: float = 0
    problem: str = ""
    wrong: bool = False

    @property
    def median(self):
        return statistics.median(self.per_unit_ns)


class Bench:
    """What all tables share: the builder, the options, the engines, and the answers that are known already."""

    def __init__(self, builder, options, engines):
        self.builder, self.options, self.engines = builder, options, engines
        self.spawn = builder.spawn()
        self.answers = {}
        self.wrong = []
        self.progress = lambda text: None

    def run(self, commands, rounds):
        return measure.run_rounds(self.spawn, commands, rounds, self.options.timeout)

    def time_of(self, sample):
        return sample.cpu_ns if self.options.clock == "cpu" else sample.wall_ns

    def scaled(self, workload, engine):
        return engine.units(max(1, int(workload.units * self.options.scale)))

    def expected(self, workload, n):
        """The right checksum: the native build's for a kernel; for a component that of the reference engine."""
        if not workload.is_kernel and n > 0:
            n = 1  # a component's checksum is that of its output, however often it is made
        key = (workload.module, n)
        if key not in self.answers:
            if workload.is_kernel:
                sample = self.run([[self.builder.native(workload.name), str(n)]], 1)[0][0]
                if sample.status != 0:
                    raise BuildError(f"the native build of {workload.name} failed: {failure(sample)}")
                self.answers[key] = int(sample.out)
            else:
                self.answers[key] = wasmfile.FNV_BASIS if n == 0 else self._reference_output(workload)
        return self.answers[key]

    def _reference_output(self, workload):
        able = [e for e in self.engines if e.kind.call == "argument"]
        able.sort(key=lambda e: e.kind_name != "node")
        for engine in able:
            sample = self.run([engine.command(self.builder, workload, 1, None)], 1)[0][0]
            answer, _ = engine.answer(sample, None)
            if answer is not None:
                return answer
        raise BuildError(f"no engine here can say what component {workload.name} answers")

    def compare(self, workload, engines):
        """Interleaved rounds of every engine on one workload; a Cell for each engine."""
        cells, jobs = {}, []
        for engine in engines:
            n = self.scaled(workload, engine)
            cells[engine.name] = Cell(n)
            zero, full = self.expected(workload, 0), self.expected(workload, n)
            jobs.append((engine, n, zero, full))
        starts = self.run([e.command(self.builder, workload, 0, zero) for e, _, zero, _ in jobs], min(3, self.options.rounds))
        runs = self.run([e.command(self.builder, workload, n, full) for e, n, _, full in jobs], self.options.rounds)
        for (engine, n, zero, full), start, samples in zip(jobs, starts, runs):
            self._fill(cells[engine.name], workload, engine, (start, zero), (samples, full))
        return cells

    def _fill(self, cell, workload, engine, start, run):
        for samples, expected in (start, run):
            for sample in samples:
                answer, problem = engine.answer(sample, expected)
                if answer is None:
                    cell.problem = problem
                    return
                if answer != expected:
                    cell.wrong, cell.problem = True, f"WRONG ANSWER {answer}, expected {expected}"
                    self.wrong.append(f"{engine.name} on {workload.name}: {cell.problem}")
                    return
        cell.startup_ns = statistics.median(self.time_of(s) for s in start[0])
        per_unit = [(self.time_of(s) - cell.startup_ns) / cell.units for s in run[0]]
        if min(per_unit) <= 0:
            cell.problem = "too short to measure: raise --scale"
            return
        cell.per_unit_ns = per_unit


def clock_words(options):
    return "CPU time (user + system) of the whole process" if options.clock == "cpu" else "wall time of the whole process"


def figure(value, digits=3):
    """A number with about that many significant digits."""
    if value is None:
        return "–"
    if value >= 100:
        return f"{value:,.0f}"
    decimals = digits - 1 if value < 10 else digits - 2
    return f"{value:.{decimals}f}" if value >= 0.1 or value == 0 else f"{value:.{digits}f}"


def pick_baseline(bench, engines):
    names = [e.name for e in engines]
    for name in [bench.options.baseline, "wasm3", "wasm-interp", "node"]:
        if name in names:
            return name
    return names[0]


def ratios(results, engine, base, workloads):
    """Paired ratios of an engine to a baseline over the workloads that both ran."""
    out = {}
    for w in workloads:
        cell, other = results[w.name].get(engine), results[w.name].get(base)
        if cell and other and cell.per_unit_ns and other.per_unit_ns:
            out[w.name] = measure.paired_ratio(cell.per_unit_ns, other.per_unit_ns)
    return out


def engine_tables(bench, key, title, workloads, engines, groups):
    """The tables of one set of workloads over engines: times, ratios with geometric means, and the summary."""
    results = {}
    for i, workload in enumerate(workloads):
        bench.progress(f"{key}: {workload.name} ({i + 1}/{len(workloads)})")
        results[workload.name] = bench.compare(workload, engines)
    names = [e.name for e in engines]
    base = pick_baseline(bench, engines)
    boundary = (f"{clock_words(bench.options)}, less that of the same command with n = 0 (start-up, loading and preparation), "
                f"for one unit of work; median of {bench.options.rounds} interleaved rounds.")
    times = Table(key, f"{title}: µs for one unit", boundary, ["workload", *names])
    relative = Table(f"{key}-ratio", f"{title}: time × {base}",
                     "Medians of the ratios of the same round; geometric means over the workloads that both engines ran.",
                     ["workload", *names])
    for w in workloads:
        cells = results[w.name]
        times.rows.append([w.name, *(figure(cells[n].median / 1e3) if cells[n].per_unit_ns else "–" for n in names)])
        relative.rows.append([w.name, *(figure(ratios(results, n, base, [w]).get(w.name)) for n in names)])
        for n in names:
            if cells[n].problem:
                times.notes.append(f"{n} on {w.name}: {cells[n].problem}")
    for label, members in groups:
        chosen = [w for w in workloads if w.group in members]
        if len(chosen) > 1:
            relative.rows.append([f"**{label}**", *(means_cell(results, n, base, chosen) for n in names)])
    relative.data["geometric_means"] = {
        label: {r: {n: measure.geometric_mean(list(ratios(results, n, r, [w for w in workloads if w.group in members]).values()))
                    for n in names} for r in names} for label, members in groups}
    times.data = {w.name: {"note": w.note, "module_bytes": w.module.stat().st_size,
                           "module_sha256": hashlib.sha256(w.module.read_bytes()).hexdigest(),
                           "engines": {n: cell_json(results[w.name][n]) for n in names}} for w in workloads}
    for w in workloads:
        if w.note:
            times.notes.append(f"{w.name}: {w.note}")
    summaries = [summary(key, title, results, names, workloads, group) for group in groups]
    return [times, relative, *(s for s in summaries if s), *details(bench, key, title, results, names)]


def means_cell(results, name, base, chosen):
    values = ratios(results, name, base, chosen)
    text = figure(measure.geometric_mean(list(values.values())))
    return text if len(values) in (0, len(chosen)) else f"{text} ({len(values)} of {len(chosen)})"


def summary(key, title, results, names, workloads, group):
    """Geometric means of every engine against each reference that ran in this group of workloads, or None without one."""
    label, members = group
    chosen = [w for w in workloads if w.group in members]
    ran = [n for n in names if any(results[w.name][n].per_unit_ns for w in chosen)]
    present = [r for r in REFERENCES if r in ran]
    if not present or len(ran) < 2 or len(chosen) < 2:
        return None
    table = Table(f"{key}-summary", f"{title}: geometric means, {label}",
                  "Time of each engine as a multiple of the reference's; below 1 is faster than it.",
                  ["engine", *(f"× {r}" for r in present)])
    ran.sort(key=lambda n: measure.geometric_mean(list(ratios(results, n, present[0], chosen).values())) or 1e9)
    for n in ran:
        table.rows.append([n, *(means_cell(results, n, r, chosen) for r in present)])
    return table


def details(bench, key, title, results, names):
    if not bench.options.details:
        return []
    table = Table(f"{key}-details", f"{title}: distribution of the rounds, µs for one unit", "As in the first table.",
                  ["workload", "engine", "n", "start-up ms", "mean", "min", "p50", "p95", "max", "stddev"])
    for workload, cells in results.items():
        for n in names:
            if cells[n].per_unit_ns:
                d = measure.distribution([v / 1e3 for v in cells[n].per_unit_ns])
                table.rows.append([workload, n, str(cells[n].units), figure(cells[n].startup_ns / 1e6),
                                   *(figure(d[k]) for k in ("mean", "min", "p50", "p95", "max", "stddev"))])
    return [table]


def cell_json(cell):
    if not cell.per_unit_ns:
        return {"units": cell.units, "problem": cell.problem, "wrong": cell.wrong}
    return {"units": cell.units, "startup_ns": cell.startup_ns, "per_unit_ns": cell.per_unit_ns,
            "distribution": measure.distribution(cell.per_unit_ns)}


def kernels(bench, workloads):
    groups = [("the core seven", ("core",)), ("all scalar kernels", ("core", "more")), ("SIMD kernels", ("simd",))]
    return engine_tables(bench, "kernels", "Kernels", workloads, bench.engines, groups)


def check_shipped(bench, workload):
    """The closed module's answer is that of the component as it ships, run by wasmeter under its contract."""
    ours = next((e for e in bench.engines if e.kind_name == "wasmeter"), None)
    if ours is None:
        return
    command = [ours.program, "run", "--budget", BUDGET, workload.component]
    sample = bench.run([command + (["-i", workload.content] if workload.content else [])], 1)[0][0]
    if sample.status != 0 or wasmfile.fnv1a(sample.out) != bench.expected(workload, 1):
        bench.wrong.append(f"{ours.name} run {workload.name}: not the output of the reference "
                           f"({failure(sample) if sample.status else 'other bytes'})")


def components(bench, workloads):
    engines = [e for e in bench.engines if not e.is_native]
    for workload in workloads:
        check_shipped(bench, workload)
    groups = [("scalar components", ("scalar",)), ("all components", ("scalar", "simd"))]
    return engine_tables(bench, "components", "QIP components", workloads, engines, groups)


def variants(bench, workloads, key, title, boundary, others):
    """Variants of one wasmeter against the bare one: others is a list of (name, Engine)."""
    bare = next(e for e in bench.engines if e.kind_name == "wasmeter")
    engines = [Engine("bare", "wasmeter", bare.program)] + [e for _, e in others]
    table = Table(key, title, boundary + f" {clock_words(bench.options)} less that with n = 0; medians of ratios of the same round.",
                  ["workload", "bare µs/unit", *(f"{name} ×" for name, _ in others)])
    results = {}
    for i, workload in enumerate(workloads):
        bench.progress(f"{key}: {workload.name} ({i + 1}/{len(workloads)})")
        cells = results[workload.name] = bench.compare(workload, engines)
        row = [workload.name, figure(cells["bare"].median / 1e3) if cells["bare"].per_unit_ns else "–"]
        for name, engine in others:
            row.append(figure(ratios(results, engine.name, "bare", [workload]).get(workload.name)))
            if cells[engine.name].problem:
                table.notes.append(f"{name} on {workload.name}: {cells[engine.name].problem}")
        table.rows.append(row)
    by_engine = {e.name: ratios(results, e.name, "bare", workloads) for _, e in others}
    for label, fold in (("geometric mean", lambda v: measure.geometric_mean(list(v))), ("worst", max)):
        cells = [figure(fold(by_engine[e.name].values())) if by_engine[e.name] else "–" for _, e in others]
        table.rows.append([f"**{label}**", "", *cells])
    table.data = {"ratios": by_engine, "workloads": {w: {n: cell_json(c) for n, c in cells.items()} for w, cells in results.items()}}
    return table


def sinks(bench, workloads):
    """What attaching a sink costs, built in and from outside the tree."""
    program = next(e for e in bench.engines if e.kind_name == "wasmeter").program
    plugin = bench.builder.plugin(bench.options.source_root)
    offered = [("pages", "pages"), ("counts", "counts"), ("time", "time"), ("batch plugin", plugin)]
    others = [(name, Engine(name, "wasmeter", program, ["--sink", sink])) for name, sink in offered if sink]
    table = variants(bench, workloads, "sinks", "Sinks: time × bare",
                     "The same run with one sink attached, its report written to standard error.", others)
    if not plugin:
        table.notes.append("batch plugin: there is no examples/plugin/checksum.c to build it from")
    return [table, sink_reports(bench, workloads, program, plugin)]


def sink_reports(bench, workloads, program, plugin):
    """Reports of the exact sinks repeat byte for byte, and the plugin's is that of the trace sink."""
    table = Table("sink-reports", "Sinks: reports",
                  "Digests of the reports of short runs, each made twice: they must repeat byte for byte, and the batch plugin, which "
                  "reads every access's address and length, must print the same as trace:checksum.",
                  ["workload", "pages", "counts", "batch plugin", "trace:checksum"])
    for workload in workloads:
        bench.progress(f"sink reports: {workload.name}")
        n = max(1, workload.units // 16)
        reports = {}
        for name, sink in (("pages", "pages"), ("counts", "counts"), ("batch plugin", plugin), ("trace:checksum", "trace:checksum")):
            if sink:
                engine = Engine(name, "wasmeter", program, ["--sink", sink])
                reports[name] = one_report(bench, engine, workload, n, table)
        if reports.get("batch plugin") and reports["trace:checksum"] and reports["batch plugin"] != reports["trace:checksum"]:
            bench.wrong.append(f"batch plugin on {workload.name}: not the checksum of trace:checksum")
        table.rows.append([workload.name, *(hashlib.sha256(reports[c]).hexdigest()[:12] if reports.get(c) else "–"
                                            for c in table.columns[1:])])
    return table


def one_report(bench, engine, workload, n, table):
    """The report of a sink, or None when the run failed (noted) or did not repeat (wrong)."""
    samples = bench.run([engine.command(bench.builder, workload, n, None)], 2)[0]
    if any(s.status != 0 for s in samples):
        table.notes.append(f"{engine.name} on {workload.name}: {failure(samples[0])}")
        return None
    if not samples[0].err or samples[0].err != samples[1].err:
        bench.wrong.append(f"sink {engine.name} on {workload.name}: its report is empty or does not repeat")
        return None
    return samples[0].err


def budget(bench, workloads):
    """The exact budget against a build of the same engine that does not count."""
    others = [("unmetered", Engine("unmetered", "wasmeter", bench.options.unmetered))]
    table = variants(bench, workloads, "budget", "Budget: time of a build without it × bare",
                     "The benchmark-only build that does not charge the budget, on the same modules.", others)
    table.notes.append("The overhead of the budget is the reciprocal: "
                       + figure(1 / (measure.geometric_mean(list(table.data["ratios"]["unmetered"].values())) or float("nan"))))
    return [table]


def cold(bench):
    """A whole process on the smallest module, against /bin/true."""
    tiny = load_workload(bench.builder.tiny())
    engines = [e for e in bench.engines if not e.is_native]
    rounds = bench.options.cold_rounds
    bench.progress(f"cold: {rounds} rounds")
    samples = bench.run([["/bin/true"], *(e.command(bench.builder, tiny, 6, 7) for e in engines)], rounds)
    base = [s.wall_ns / 1e6 for s in samples[0]]
    table = Table("cold", "Cold start: ms of a process on the smallest module",
                  f"Wall time from before the spawn to after the wait, {rounds} interleaved rounds; the module has "
                  f"{tiny.module.stat().st_size} bytes and one function, which is called once. The last column is the median of "
                  "the differences to /bin/true in the same round.",
                  ["program", "median", "p95", "min", "over /bin/true"])
    for name, runs in [("/bin/true", samples[0]), *((e.name, s) for e, s in zip(engines, samples[1:]))]:
        engine = next((e for e in engines if e.name == name), None)
        bad = next((s for s in runs if engine and engine.answer(s, 7)[0] != 7), None)
        if bad:
            table.notes.append(f"{name}: {failure(bad)}")
            continue
        wall = [s.wall_ns / 1e6 for s in runs]
        d = measure.distribution(wall)
        over = statistics.median(w - b for w, b in zip(wall, base))
        table.rows.append([name, f"{d['p50']:.2f}", f"{d['p95']:.2f}", f"{d['min']:.2f}", f"{over:+.2f}"])
        table.data[name] = {"wall_ms": d, "over_true_ms": over}
    return [table]


def load_workload(module):
    """A module whose bench_run needs no reference: the caller knows the answer."""
    return Workload("load", "load", 1, module)


def load_modules(bench, component, big):
    """The modules of the load table: (label, workload, n, answer)."""
    rows = [("tiny", load_workload(bench.builder.tiny()), 6, 7)]
    if component:
        large = bench.builder.with_memory(component.module, LARGE_MEMORY_PAGES)
        label = f"{component.name}, {large.stat().st_size:,} bytes, 50 MiB memory"
        rows.append((label, load_workload(large), 0, wasmfile.FNV_BASIS))
    if big:
        closed = bench.builder.without_imports(big)
        code = len(wasmfile.Module(big.read_bytes()).get(wasmfile.CODE))
        rows.append((f"{big.parent.name}, {code / 1e6:.2f} MB of code", load_workload(closed), 5, 5))
    return rows


def load(bench, component, big):
    """Loading and instantiating: the same process on larger modules, less the time on the smallest."""
    modules = load_modules(bench, component, big)
    engines = [e for e in bench.engines if not e.is_native]
    jobs = [(e, label, w, n, answer) for e in engines for label, w, n, answer in modules]
    bench.progress(f"load: {bench.options.load_rounds} rounds")
    samples = bench.run([e.command(bench.builder, w, n, answer) for e, _, w, n, answer in jobs], bench.options.load_rounds)
    labels = [label for label, *_ in modules]
    table = Table("load", "Load time: ms over the smallest module",
                  "Wall time of a process that loads, instantiates and calls one small function, less that on the smallest module; "
                  f"median of the differences of {bench.options.load_rounds} interleaved rounds. Engines differ in what they do by "
                  "then: some validate nothing or compile later.", ["engine", "tiny: whole process", *labels[1:]])
    memory = Table("memory-load", "Peak memory: MiB resident, loading only",
                   "Largest resident set of the same processes (the stop-watch's own, about 1.5 MiB, is the floor).", ["engine", *labels])
    by_job = {(e.name, label): s for (e, label, *_), s in zip(jobs, samples)}
    for engine in engines:
        base = [s.wall_ns / 1e6 for s in by_job[engine.name, labels[0]]]
        row, rss = [engine.name], [engine.name]
        for label, _, _, answer in modules:
            runs = by_job[engine.name, label]
            bad = next((s for s in runs if engine.answer(s, answer)[0] != answer), None)
            if bad:
                table.notes.append(f"{engine.name} on {label}: {failure(bad)}")
                row.append("–")
                rss.append("–")
                continue
            wall = [s.wall_ns / 1e6 for s in runs]
            over = statistics.median(w - b for w, b in zip(wall, base))
            row.append(f"{statistics.median(wall):.2f}" if label == labels[0] else f"{over:+.2f}")
            rss.append(f"{statistics.median(s.maxrss_kib for s in runs) / 1024:.1f}")
            table.data.setdefault(engine.name, {})[label] = {
                "wall_ms": measure.distribution(wall), "over_tiny_ms": over,
                "maxrss_kib": measure.distribution([s.maxrss_kib for s in runs])}
        table.rows.append(row)
        memory.rows.append(rss)
    return [table, memory]


def peak_memory(bench, workloads):
    """Peak resident memory of real runs, and of the last workload once more with a large memory."""
    rows = [(w.name, w) for w in workloads]
    large = bench.builder.with_memory(workloads[-1].module, LARGE_MEMORY_PAGES)
    rows.append((f"{workloads[-1].name} with 50 MiB memory", replace(workloads[-1], module=large)))
    table = Table("memory", "Peak memory: MiB resident",
                  "Largest resident set of a process that does one sixteenth of the usual work; median of 3 runs.",
                  ["workload", *(e.name for e in bench.engines)])
    for label, workload in rows:
        bench.progress(f"memory: {label}")
        n = max(1, workload.units // 16)
        able = [e for e in bench.engines if e.can_run(workload)]
        samples = bench.run([e.command(bench.builder, workload, n, bench.expected(workload, n)) for e in able], 3)
        row = {}
        for engine, runs in zip(able, samples):
            bad = next((s for s in runs if s.status != 0), None)
            if bad:
                table.notes.append(f"{engine.name} on {label}: {failure(bad)}")
            else:
                row[engine.name] = statistics.median(s.maxrss_kib for s in runs) / 1024
        table.rows.append([label, *(f"{row[e.name]:.1f}" if e.name in row else "–" for e in bench.engines)])
        table.data[label] = row
    return [table]


def page_report_itself(bench, workload):
    """The page report as a component under every engine, against the native command on the same request."""
    ours = next(e for e in bench.engines if e.kind_name == "wasmeter")
    bench.progress("self")
    native = bench.run([[ours.program, "pages", workload.component, "-i", workload.content],
                        ours.command(bench.builder, load_workload(bench.builder.tiny()), 6, 7)], bench.options.rounds)
    table = Table("self", "The page report as a component: ms for one request",
                  f"One request on {workload.component.name} with {workload.content.stat().st_size:,} bytes of input. Native command: the "
                  "process less that on the smallest module. The component under an engine: one render, start-up taken off as above.",
                  ["run by", "ms", "× native"])
    bad = next((s for s in native[0] if s.status != 0), None)
    if bad or wasmfile.fnv1a(native[0][0].out) != bench.expected(workload, 1):
        bench.wrong.append("the page report's component and `wasmeter pages` differ: " + (failure(bad) if bad else "other bytes"))
        return [table]
    base = [bench.time_of(a) - bench.time_of(b) for a, b in zip(*native)]
    table.rows.append(["wasmeter pages (native)", figure(statistics.median(base) / 1e6), "1.00"])
    engines = [e for e in bench.engines if not e.is_native]
    for name, cell in bench.compare(workload, engines).items():
        if cell.problem:
            table.notes.append(f"{name}: {cell.problem}")
            continue
        ratio = cell.median / statistics.median(base)
        table.rows.append([f"the component, {name}", figure(cell.median / 1e6), figure(ratio)])
        table.data[name] = cell_json(cell) | {"times_native": ratio}
    return [table]


def check(bench, workloads):
    """Answers only: every engine on every workload with little work, compared with the reference; no time is taken."""
    table = Table("check", "Answers", "Every engine's checksum against the reference, with little work.",
                  ["workload", "expected", *(e.name for e in bench.engines)])
    for workload in workloads:
        bench.progress(f"check: {workload.name}")
        if not workload.is_kernel:
            check_shipped(bench, workload)
        n = max(1, int(workload.units * bench.options.scale / 16))
        expected = bench.expected(workload, n)
        row = [workload.name, str(expected)]
        for engine in bench.engines:
            if not engine.can_run(workload):
                row.append("–")
                continue
            sample = bench.run([engine.command(bench.builder, workload, n, expected)], 1)[0][0]
            answer, problem = engine.answer(sample, expected)
            if answer == expected:
                row.append("ok")
                continue
            row.append("WRONG" if answer is not None else "failed")
            text = f"{engine.name} on {workload.name}: {problem or f'answered {answer}'}"
            table.notes.append(text)
            if answer is not None or engine.kind_name == "wasmeter":
                bench.wrong.append(text)
        table.rows.append(row)
    return [table]
