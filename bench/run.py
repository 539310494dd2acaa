#!/usr/bin/env python3
"""Times wasmeter against every engine on this machine, and its own parts against each other. See bench/README.md.

  bench/run.py                                         everything that can be measured here
  bench/run.py --only kernels --kernel crc,json --rounds 3 --engines wasmeter,wasm3
  bench/run.py --only kernels --engine old=wasmeter:/path/to/wasmeter --baseline old     two builds of ours

Exit status: 0 done, 3 some answer or report was wrong, 64 usage, 70 a tool is missing or failed.
"""

import argparse
import os
import sys
from pathlib import Path

from driver import engines as engine_list
from driver import report, tables, workloads
from driver.build import BENCH, BuildError, Builder
from driver.measure import SpawnError

ROOT = BENCH.parent
PARTS = ["kernels", "components", "sinks", "budget", "cold", "load", "memory", "self"]
# Sinks and the budget are measured on these; on everything else with --all-workloads.
SINK_KERNELS = ["sieve", "crc", "matmul", "blur", "json", "vm", "sort"]


def names(text):
    return [n for n in text.replace(",", " ").split() if n]


def parse_options(argv):
    p = argparse.ArgumentParser(prog="bench/run.py", description="Benchmarks wasmeter against other engines and against itself.")
    p.add_argument("--only", type=names, default=[], metavar="PART,...", help="of " + ", ".join(PARTS))
    p.add_argument("--kernel", type=names, default=[], metavar="NAME,...", help="only these kernels")
    p.add_argument("--component", type=names, default=[], metavar="NAME,...", help="only these components")
    p.add_argument("--engines", type=names, default=[], metavar="NAME,...", help="only these engines")
    p.add_argument("--engine", action="append", default=[], metavar="NAME=[KIND:]PATH",
                   help="an engine that is not on PATH, or a second build of one (BENCH_ENGINES: the same, separated by spaces)")
    p.add_argument("--baseline", default="", metavar="NAME", help="engine that ratios are taken to (default: wasm3, else wasm-interp)")
    p.add_argument("--build", type=Path, metavar="DIR", help="build folder to measure (default: the newest build*/ of this tree)")
    p.add_argument("--wasmeter", metavar="PATH", help="the executable to measure (default: WASMETER, else cli/wasmeter of the build)")
    p.add_argument("--unmetered", metavar="PATH", help="a build without the budget (default: wasmeter-unmetered beside wasmeter)")
    p.add_argument("--components", type=Path, metavar="DIR", help="built example components (default: examples/ of the build)")
    p.add_argument("--work", type=Path, metavar="DIR", help="folder for what is built (default: bench/work of the build)")
    p.add_argument("--rounds", type=int, default=7, metavar="N", help="interleaved rounds (default 7)")
    p.add_argument("--scale", type=float, default=1.0, metavar="X", help="multiplies the work of a run (default 1)")
    p.add_argument("--cold-rounds", type=int, default=200, metavar="N", help="rounds of the cold start table (default 200)")
    p.add_argument("--load-rounds", type=int, default=25, metavar="N", help="rounds of the load table (default 25)")
    p.add_argument("--clock", choices=["cpu", "wall"], default="cpu", help="user + system time (default) or wall time")
    p.add_argument("--timeout", type=int, default=120, metavar="S", help="seconds after which a run is ended (default 120)")
    p.add_argument("--details", action="store_true", help="also print mean, minimum, p50, p95, maximum, deviation")
    p.add_argument("--all-workloads", action="store_true", help="sinks and budget on every kernel and component")
    p.add_argument("--check", action="store_true", help="only compare the answers of all engines; no times")
    p.add_argument("--list", action="store_true", help="list kernels, components and the engines found")
    p.add_argument("--output", type=Path, metavar="FILE", help="write the Markdown there instead of to standard output")
    p.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    options = p.parse_args(argv)
    for text, known in ((options.only, PARTS), (options.kernel, workloads.KERNELS), (options.component, workloads.COMPONENTS)):
        unknown = [n for n in text if n not in known]
        if unknown:
            usage(f"unknown name {unknown[0]!r}; known: {', '.join(known)}")
    if min(options.rounds, options.cold_rounds, options.load_rounds) < 1 or options.scale <= 0 or options.timeout < 1:
        usage("rounds, scale and timeout must be positive")
    options.source_root = ROOT
    if options.build and not options.build.is_dir():
        usage(f"{options.build} is no folder")
    if options.wasmeter and not os.access(options.wasmeter, os.X_OK):
        usage(f"{options.wasmeter} is no executable")
    options.build = (options.build or newest_build()).resolve()
    return options


def newest_build():
    """The build folder whose wasmeter, else whose build file, is the newest; a folder of our own when there is none."""
    for product in ("cli/wasmeter", "build.ninja"):
        found = list(ROOT.glob(f"build*/{product}"))
        if found:
            return max(found, key=lambda p: p.stat().st_mtime).parents[product.count("/")]
    return ROOT / "build-bench"


def usage(text):
    sys.stderr.write(f"bench/run.py: {text}\n")
    sys.exit(64)


def choose_engines(options, wasmeter):
    try:
        engines = engine_list.find_engines(wasmeter, options.engine)
    except ValueError as problem:
        usage(str(problem))
    known = [e.name for e in engines]
    for name in options.engines:
        if name not in known:
            usage(f"engine {name!r} was not found; there are {', '.join(known)}")
    chosen = [e for e in engines if not options.engines or e.name in options.engines]
    if options.baseline and options.baseline not in [e.name for e in chosen]:
        usage(f"the baseline {options.baseline!r} is not among the engines measured")
    return chosen


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


class Session:
    """Knows which parts were asked for, and measures those that can be; the others are named with the reason."""

    def __init__(self, options, wasmeter, builder, engines):
        self.options, self.builder, self.engines = options, builder, engines
        self.bench = tables.Bench(builder, options, engines)
        self.bench.progress = progress
        self.has_wasmeter = any(e.kind_name == "wasmeter" for e in engines)
        self.left_out = []
        self.component_folder = options.components or options.build / "examples"
        if not options.unmetered and wasmeter and (Path(wasmeter).parent / "wasmeter-unmetered").exists():
            options.unmetered = str(Path(wasmeter).parent / "wasmeter-unmetered")
        self.kernels = workloads.kernels(builder, options.kernel)
        self.components, notes = workloads.components(builder, self.component_folder, options.component)
        if options.check or not options.only or "components" in options.only:
            self.left_out += notes

    def own_workloads(self):
        if self.options.all_workloads or self.options.kernel or self.options.component:
            return self.kernels + self.components
        return [k for k in self.kernels if k.name in SINK_KERNELS] + self.components

    def load_component(self):
        """The component of the load table, without input: the one whose size is nearest to 10 KB."""
        chosen = min(self.components, key=lambda c: abs(c.component.stat().st_size - 10000), default=None)
        if chosen is None:
            return None
        module = self.builder.closed_component(f"load-{chosen.component.stem}", chosen.component, b"")
        return workloads.Workload(chosen.name, "load", 1, module)

    def big_module(self):
        path = BENCH / "node_modules" / "@resvg" / "resvg-wasm" / "index_bg.wasm"
        if path.exists():
            return path
        self.left_out.append("load, 2 MB of code: the package is not installed (npm ci in bench/)")
        return None

    def page_report(self):
        return workloads.page_report_component(self.builder, self.options.build, self.component_folder)

    def why_not(self, part):
        """Why a part cannot be measured here, or an empty text."""
        if part in ("sinks", "budget", "self") and not self.has_wasmeter:
            return "there is no wasmeter executable here"
        if part == "budget" and not self.options.unmetered:
            return "no build without the budget (--unmetered)"
        if part in ("components", "memory") and not self.components:
            return "no component is built"
        if part == "self" and not self.page_report():
            return "the page report's component is not built"
        return ""

    def measure(self, part):
        if part == "kernels":
            return tables.kernels(self.bench, self.kernels)
        if part == "components":
            return tables.components(self.bench, self.components)
        if part == "sinks":
            return tables.sinks(self.bench, self.own_workloads())
        if part == "budget":
            return tables.budget(self.bench, self.own_workloads())
        if part == "cold":
            return tables.cold(self.bench)
        if part == "load":
            return tables.load(self.bench, self.load_component(), self.big_module())
        if part == "self":
            return tables.page_report_itself(self.bench, self.page_report())
        return tables.peak_memory(self.bench, self.kernels[:1] + self.components[:1])

    def run(self):
        if self.options.check:
            return tables.check(self.bench, self.kernels + self.components)
        result = []
        for part in self.options.only or PARTS:
            reason = self.why_not(part)
            if reason:
                self.left_out.append(f"{part}: {reason}")
            else:
                result += self.measure(part)
        return result


def list_everything(session):
    print("kernels:    " + ", ".join(k.name for k in session.kernels))
    print("components: " + (", ".join(c.name for c in session.components) or "none built"))
    for e in session.engines:
        print(f"engine:     {e.name} ({e.kind_name}) {e.program or session.builder.cc[0]} {e.version()}".rstrip())


def write(path, text):
    if path:
        path.write_text(text)
    else:
        sys.stdout.write(text)


def main(argv):
    options = parse_options(argv)
    wasmeter = engine_list.find_wasmeter(options.build, options.wasmeter)
    engines = choose_engines(options, wasmeter)
    try:
        builder = Builder(options.work or options.build / "bench" / "work")
        session = Session(options, wasmeter, builder, engines)
        if options.list:
            list_everything(session)
            return 0
        where = report.machine(builder)
        results = session.run()
    except (BuildError, SpawnError, ValueError) as problem:
        sys.stderr.write(f"bench/run.py: {problem}\n")
        return 70
    progress("")
    if session.left_out:
        results.append(tables.Table("left-out", "Left out", "Not measured in this run.", ["what: why"],
                                    [[text] for text in session.left_out]))
    described = report.describe_engines(engines)
    write(options.output, report.markdown(results, where, described, options))
    if options.json:
        options.json.write_text(report.as_json(results, where, described, options))
    for text in session.bench.wrong:
        sys.stderr.write(f"bench/run.py: {text}\n")
    return 3 if session.bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
