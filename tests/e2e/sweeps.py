#!/usr/bin/env python3
"""Sweeps over every example component: exact budgets, sinks that change nothing, requests in both spellings, truncated and
damaged modules, peak memory, plugins, output files.

Usage: sweeps.py --wasmeter EXE --examples DIR --plugins DIR --old-plugin FILE --peak EXE --wat2wasm EXE [SWEEP …]
Each sweep is one function below; each failure is one line; the last line counts.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Inputs and uniforms that reach each example's ordinary work: (component, input bytes or None, uniforms).
TEXT = b"# Title\n\nSome *text* with `code` and [a link](https://example.com).\n\n> - quoted\n>   1. list\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
RUNS = [
    ("blend", bytes(range(256)) * 16, []),
    ("crc32", b"123456789", []),
    ("deflate", TEXT * 8, []),
    ("fail", b"all is well", []),
    ("gauge", None, ["reading=40"]),
    ("gauge-fixed", None, ["night=1"]),
    ("markdown", TEXT, []),
    ("primes", None, ["limit=1000"]),
    ("primes", None, []),
    ("sample-page-report", b"# Hello\n\nSome *text* with [a link](https://example.com).", []),
    ("uniforms", None, ["bits_i32=7", "bits_i64=-1", "bits_f32=0.1", "bits_f64=-inf", "count=5", "shift=3", "scale=2", "angle=1"]),
    ("v1-codepoints", "aé€😀".encode(), []),
    ("v1-count", b"one two\nthree", []),
    ("v2-upper", b"Shout", []),
    ("validate-json", b'{"a": [1, 2, {"b": null}], "c": "\\u00e9"}', []),
]


class Sweep:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.checks, self.failures = 0, 0

    def check(self, is_good, what):
        self.checks += 1
        if not is_good:
            self.failures += 1
            print(f"FAIL {what}")

    def run(self, *words, stdin=b""):
        done = subprocess.run([self.options.wasmeter, *words], input=stdin, capture_output=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def path(self, name, data=None):
        path = os.path.join(self.scratch, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def runs(self):
        """(label, words): component, input and uniforms of each run as arguments; and the same as a request."""
        for number, (name, data, uniforms) in enumerate(RUNS):
            component = os.path.join(self.options.examples, name + ".wasm")
            words, request = [component], ["-F", "component=@" + component]
            if data is not None:
                file = self.path(f"input-{number}", data)
                words += ["-i", file]
                request += ["-F", "input=@" + file]
            for uniform in uniforms:
                words += ["-u", uniform]
                key, value = uniform.split("=")
                request += ["-F", f"uniforms[{key}]={value}"]
            yield f"{name} #{number}", words, request

    def counts(self, words, *more):
        status, out, err = self.run("counts", *words, *more)
        if status != 0:
            return None
        return dict(line.split(",") for line in out.decode().splitlines()[1:])


def one_line(err):
    return err.startswith(b"wasmeter: ") and err.endswith(b"\n") and err.count(b"\n") == 1


# ---- Sweeps ----------------------------------------------------------------------------------------------------------


def every_example_has_a_run(sweep):
    built = {name[:-5] for name in os.listdir(sweep.options.examples) if name.endswith(".wasm") and not name.endswith("-named.wasm")}
    missing = built - {name for name, _, _ in RUNS} - set(sweep.options.without.split(","))
    sweep.check(not missing, f"examples without a run in this table: {sorted(missing)}")


def budgets(sweep):
    """N instructions are enough, N - 1 are not, and the run stops at its very last instruction."""
    for label, words, _ in sweep.runs():
        counts = sweep.counts(words)
        if counts is None:
            sweep.check(False, f"{label}: counts failed")
            continue
        total = int(counts["instructions"])
        is_v3 = "v1" not in label and "v2" not in label  # V1 and V2 spend budget on getters and commit, uncounted
        for stream in ("auto", "step", "fast"):
            status, out, err = sweep.run("counts", *words, "--stream", stream)
            sweep.check(status == 0 and dict(l.split(",") for l in out.decode().splitlines()[1:]) == counts, f"{label}: counts differ in stream {stream}")
            if not is_v3:
                continue
            status, out, err = sweep.run("run", *words, "--budget", str(total), "--stream", stream)
            sweep.check(status == 0, f"{label}: budget {total} is not enough in stream {stream}: {err}")
            status, out, err = sweep.run("run", *words, "--budget", str(total - 1), "--stream", stream)
            sweep.check(status == 5 and out == b"" and one_line(err), f"{label}: budget {total - 1} should end with 5, not {status}: {err}")
            status, out, err = sweep.run("counts", *words, "--budget", str(total - 1), "--stream", stream, "--partial")
            partial = dict(l.split(",") for l in out.decode().splitlines()[1:])
            sweep.check(status == 5 and partial.get("instructions") == str(total - 1), f"{label}: {partial} after {total - 1} instructions in stream {stream}")


def sinks(sweep):
    """Output, counts and final memory are the same with no sink, with each, and with all at once."""
    plugins = [os.path.join(sweep.options.plugins, name) + ".so" for name in ("cache", "checksum")]
    for label, words, _ in sweep.runs():
        base = sweep.run("run", *words, "--memory-digest", "--digest")
        sweep.check(base[0] == 0, f"{label}: {base}")
        counts = sweep.run("counts", *words)[1]
        names = ["pages", "pages:count=batch", "counts", "trace", "trace:last=16", *plugins]
        attached = [[name] for name in names] + [names]
        for group in attached:
            more = []
            for number, name in enumerate(group):
                more += ["--sink", f"{name}{',' if ':' in name else ':'}out={sweep.path(f'sink-{number}')}"]
            got = sweep.run("run", *words, "--memory-digest", "--digest", *more)
            sweep.check(got == base, f"{label}: {group} changes the run: {got[2]}")
            with_counts = sweep.run("counts", *words, *more)
            sweep.check(with_counts[1] == counts, f"{label}: {group} changes the counts")
        for form in ("csv", "json", "table"):
            loop = sweep.run("pages", *words, "--format", form)[1]
            status, _, _ = sweep.run("run", *words, "--sink", f"pages:count=batch,format={form},out={sweep.path('batch')}")
            with open(sweep.path("batch"), "rb") as file:
                sweep.check(status == 0 and file.read() == loop, f"{label}: pages in batches differ as {form}")
            if form == "json":
                json.loads(loop)


def requests(sweep):
    """`COMPONENT -i FILE -u k=v` and `-F component=… -F input=… -F uniforms[k]=v` mean the same."""
    for label, words, request in sweep.runs():
        for command in ("pages", "counts", "run"):
            sweep.check(sweep.run(command, *words) == sweep.run(command, *request), f"{label}: {command} differs as a request")


def page_sums(sweep):
    """Page bytes add up to the counters; reads and writes exceed them only by page crossings; the table's own invariants."""
    for label, words, _ in sweep.runs():
        counts = sweep.counts(words)
        rows = [line.split(",") for line in sweep.run("pages", *words)[1].decode().splitlines()[1:]]
        total = [sum(int(row[column]) for row in rows) for column in range(2, 8)]
        sweep.check(total[2] == int(counts["bytes_read"]) and total[4] == int(counts["bytes_written"]), f"{label}: page bytes {total} against {counts}")
        sweep.check(total[1] >= int(counts["memory_reads"]) and total[3] >= int(counts["memory_writes"]), f"{label}: page operations {total}")
        sweep.check([int(row[0]) for row in rows] == sorted({int(row[0]) for row in rows}), f"{label}: rows are not ascending")
        for row in rows:
            initialized, reads, bytes_read, writes, bytes_written, distinct = map(int, row[2:8])
            ratio = f"{(200 * bytes_written + distinct) // (2 * distinct) / 100:.2f}" if distinct else ""
            sweep.check(distinct <= bytes_written and distinct <= 65536 and reads <= bytes_read and writes <= bytes_written
                        and initialized + reads + writes > 0 and (row[8] == "") == (writes == 0) and row[8] == ratio, f"{label}: row {row}")
            sweep.check(row[1] == "other" or "other" not in row[1].split("+"), f"{label}: region {row[1]}")


def damage(sweep):
    """Truncated and damaged modules through the executable: a clear end, never a crash, nothing on standard output of pages."""
    choose = random.Random(7)
    names = sorted({name for name, _, _ in RUNS})
    for name in names:
        with open(os.path.join(sweep.options.examples, name + ".wasm"), "rb") as file:
            whole = file.read()
        for length in [*range(9), *sorted(choose.sample(range(9, len(whole)), 12))]:
            status, out, err = sweep.run("pages", sweep.path("cut.wasm", whole[:length]))
            sweep.check(status in (6, 65) and out == b"" and one_line(err), f"{name} cut at {length}: status {status}, {err}")
        for _ in range(20):
            bytes_ = bytearray(whole)
            for _ in range(choose.randrange(1, 4)):
                bytes_[choose.randrange(8, len(bytes_))] = choose.randrange(256)
            status, out, err = sweep.run("pages", sweep.path("damaged.wasm", bytes(bytes_)), "-i", "-", "--budget", "3000000", "--max-memory", "256M", stdin=TEXT)
            is_clear = status == 0 and err == b"" or status in (1, 4, 5, 6, 65) and out == b"" and one_line(err)
            sweep.check(is_clear, f"{name} damaged: status {status}, {err}")
    for length in (0, 1, 7, 100, 5000):
        status, out, err = sweep.run("run", sweep.path("random.wasm", b"\0asm\x01\0\0\0" + bytes(choose.randrange(256) for _ in range(length))))
        sweep.check(status in (6, 65) and out == b"" and one_line(err), f"{length} random bytes: status {status}, {err}")
    huge = sweep.path("huge.wasm", b"")
    os.truncate(huge, (1 << 30) + 1)  # sparse
    status, out, err = sweep.run("run", huge)
    sweep.check(status == 65 and out == b"" and b"larger than the limit" in err and one_line(err), f"oversized module: status {status}, {err}")


def peak_memory(sweep):
    """A component with 50 MB of memory that it does not use costs no more than 8 MiB over a small one."""
    peaks = []
    for pages in (2, 800):
        source = sweep.path("memory.wat", f"""(module (memory (export "memory") {pages} {pages})
            (func (export "output_bytes_cap") (result i32) i32.const 8)
            (func (export "render") (param i32) (result i64) (i64.store (i32.const 1024) (i64.const 1)) (i64.const 0x40000000008)))""".encode())
        module = sweep.path(f"memory-{pages}.wasm")
        subprocess.run([sweep.options.wat2wasm, source, "-o", module], check=True)
        for command in ("run", "pages", "counts"):
            done = subprocess.run([sweep.options.peak, sweep.options.wasmeter, command, module], capture_output=True, check=True, timeout=60)
            peaks.append((command, pages, int(done.stderr.split()[-1])))
    small = {command: kib for command, pages, kib in peaks if pages == 2}
    for command, pages, kib in peaks:
        sweep.check(kib - small[command] <= 8192, f"{command} with {pages} pages peaks at {kib} KiB, {small[command]} KiB with 2")


def plugins(sweep):
    """A plugin's report equals the built-in's; another interface version is refused by name and version."""
    component = os.path.join(sweep.options.examples, "crc32.wasm")
    data = sweep.path("plugin-input", b"123456789")
    for name in ("cache", "checksum"):
        status, out, err = sweep.run("run", component, "-i", data, "--sink", os.path.join(sweep.options.plugins, name) + ".so")
        sweep.check(status == 0 and out == b"cbf43926\n" and err != b"", f"plugin {name}: {status}, {out}, {err}")
    status, out, err = sweep.run("run", component, "-i", data, "--sink", sweep.options.old_plugin)
    is_named = sweep.options.old_plugin.encode() in err and b"interface version" in err
    sweep.check(status == 65 and out == b"" and one_line(err) and is_named, f"old plugin: {status}, {err}")
    checksum = sweep.run("run", component, "-i", data, "--sink", os.path.join(sweep.options.plugins, "checksum") + ".so")[2].split()
    traced = sweep.run("run", component, "-i", data, "--sink", "trace:checksum")[2].split()
    sweep.check(checksum and traced and checksum[-1] == traced[-1], f"checksums: plugin {checksum}, trace {traced}")


def output_files(sweep):
    """-o replaces a file whole, keeps its mode, follows links, leaves nothing behind, and a failed run leaves the old one."""
    good, bad = [os.path.join(sweep.options.examples, name + ".wasm") for name in ("crc32", "fail")]
    target = sweep.path("target", b"old contents that are longer")
    os.chmod(target, 0o640)
    before = set(os.listdir(sweep.scratch))
    status = sweep.run("run", good, "-i", "-", "-o", target, stdin=b"123456789")[0]
    with open(target, "rb") as file:
        sweep.check(status == 0 and file.read() == b"cbf43926\n", "-o replaces the file")
    sweep.check(os.stat(target).st_mode & 0o777 == 0o640, "-o keeps the mode")
    status = sweep.run("run", bad, "-i", "-", "-o", target, stdin=b"u")[0]
    with open(target, "rb") as file:
        sweep.check(status == 4 and file.read() == b"cbf43926\n", "a failed run keeps the old file")
    link = sweep.path("link")
    os.symlink(target, link)
    status = sweep.run("run", good, "-i", "-", "-o", link, stdin=b"")[0]
    with open(target, "rb") as file:
        sweep.check(status == 0 and file.read() == b"00000000\n" and os.path.islink(link), "-o follows a link")
    sweep.check(set(os.listdir(sweep.scratch)) == before | {"link"}, "nothing is left behind")
    gauge = os.path.join(sweep.options.examples, "gauge.wasm")
    status, traced, _ = sweep.run("trace", gauge)
    status_file = sweep.run("trace", gauge, "-o", target)[0]
    with open(target, "rb") as file:
        sweep.check(status == status_file == 0 and len(traced) > 1000000 and file.read() == traced, "a trace to a file is the trace")
    status, out, err = sweep.run("trace", gauge, "-o", "/dev/full")
    sweep.check(status == 74 and out == b"" and one_line(err), f"a trace to a full device: {status}, {err}")
    process = subprocess.Popen([sweep.options.wasmeter, "trace", gauge], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = process.stdout.read(100)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    sweep.check(process.wait() == 74 and err == b"" and traced.startswith(first), f"a reader of a trace that goes away: {process.returncode}, {err}")
    process = subprocess.Popen([sweep.options.wasmeter, "run", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    sweep.check(process.wait() in (0, 74) and err == b"", f"a reader that goes away: {process.returncode}, {err}")


def inspection(sweep):
    """JSON that a parser takes, for every example; facts that are known otherwise."""
    contracts = {"v1-codepoints": 1, "v1-count": 1, "v2-upper": 2}
    for name in sorted(os.listdir(sweep.options.examples)):
        if not name.endswith(".wasm"):
            continue
        path = os.path.join(sweep.options.examples, name)
        status, out, err = sweep.run("inspect", path, "--format", "json")
        sweep.check(status == 0 and err == b"", f"inspect {name}: {status}, {err}")
        facts = json.loads(out)
        plain = name[:-5].removesuffix("-named")
        wanted, is_timed = contracts.get(plain, 3), plain == "gauge-timed"
        sweep.check(facts["timed_copy"] == is_timed == bool(facts["imports"]), f"inspect {name}: {facts['imports']}, timed {facts['timed_copy']}")
        sweep.check(facts["bytes"] == os.path.getsize(path) and facts["contract"] == wanted, f"inspect {name}: {facts}")
        sweep.check(facts["names"] == ("name section" if name.endswith("-named.wasm") else "none") or name.startswith("gauge-timed"), f"{name}: names {facts['names']}")
        exports = {export["name"]: export["type"] for export in facts["exports"]}
        sweep.check(exports.get("render", exports.get("run")) in ("(i32) -> (i64)", "(i32) -> (i32)"), f"{name}: exports {exports}")
        status, text, _ = sweep.run("inspect", path)
        sweep.check(facts["xxh3_128"].encode() in text and f"{facts['bytes']} bytes".encode() in text, f"inspect {name}: text and JSON differ")


def pipelines(sweep):
    """Options bind to the component before them: each stage has its own uniforms, sinks and budget."""
    upper, count = [os.path.join(sweep.options.examples, name + ".wasm") for name in ("v2-upper", "v1-count")]
    one, two = sweep.path("one"), sweep.path("two")
    status, out, err = sweep.run("run", upper, "--sink", "counts:out=" + one, count, "--sink", "counts:out=" + two, "-i", "-", stdin=b"a b\nc")
    sweep.check((status, out, err) == (0, b"1 3 5\n", b""), f"pipeline: {status}, {out}, {err}")
    alone = sweep.run("counts", upper, "-i", "-", stdin=b"a b\nc")[1], sweep.run("counts", count, "-i", "-", stdin=b"A B\nC")[1]
    for path, wanted in zip((one, two), alone):
        with open(path, "rb") as file:
            sweep.check(file.read() == wanted, f"pipeline: counts of {path} differ from the stage alone")
    named = os.path.join(sweep.options.examples, "v2-upper-named.wasm")
    status, out, err = sweep.run("run", upper, "--symbols", named, "--sink", "time:clock=off,out=" + one, count, "-i", "-", stdin=b"a")
    with open(one, "rb") as file:
        sweep.check(status == 0 and b"\nrender," in file.read(), f"pipeline: symbols of a stage: {status}, {err}")
    primes = os.path.join(sweep.options.examples, "primes.wasm")
    crc = os.path.join(sweep.options.examples, "crc32.wasm")
    bound = sweep.run("run", primes, "-u", "limit=30", crc)
    alone = sweep.run("run", crc, "-i", "-", stdin=sweep.run("run", primes, "-u", "limit=30")[1])
    sweep.check(bound[0] == 0 and bound[1] == alone[1], f"pipeline: {bound} against {alone}")


def on_terminal(sweep, seconds, *words):
    """Runs with standard error on a terminal; ends it after so long; returns what the terminal saw."""
    import pty
    import select
    import time
    master, slave = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"}
    process = subprocess.Popen([sweep.options.wasmeter, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, env=environment)
    os.close(slave)
    seen, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if select.select([master], [], [], 0.1)[0]:
            try:
                seen += os.read(master, 65536)
            except OSError:
                break
    if process.poll() is None:
        process.kill()
    process.wait()
    while select.select([master], [], [], 0)[0]:
        try:
            more = os.read(master, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(master)
    return seen


def terminal(sweep):
    """Progress and colour on a terminal, and nowhere else."""
    fail = os.path.join(sweep.options.examples, "fail.wasm")
    spin = ["run", fail, "-i", sweep.path("s", b"s"), "--budget", "18446744073709551615"]
    seen = on_terminal(sweep, 4, *spin)
    sweep.check(b"million instructions" in seen, f"no progress on a terminal: {seen}")
    seen = on_terminal(sweep, 2.5, *spin, "--quiet")
    sweep.check(seen == b"", f"progress in spite of --quiet: {seen}")
    seen = on_terminal(sweep, 20, "run", fail, "-i", sweep.path("u", b"u"))
    sweep.check(seen.startswith(b"\033[31mwasmeter:\033[0m ") and b"trap" in seen, f"no colour on a terminal: {seen}")
    seen = on_terminal(sweep, 20, "run", fail, "-i", sweep.path("u", b"u"), "--color", "never")
    sweep.check(seen.startswith(b"wasmeter: "), f"colour in spite of --color never: {seen}")


def completion(sweep):
    """The script is one that bash takes, and it completes commands, options and choices."""
    script = sweep.path("completion.bash", sweep.run("completion", "bash")[1])
    for words, wanted in ((["wasmeter", "pa"], "pages"), (["wasmeter", "run", "--bud"], "--budget"), (["wasmeter", "pages", "--format", "j"], "json"),
                          (["wasmeter", "counts", "--par"], "--partial")):
        program = f'set -e; . "$0"; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _wasmeter; echo "${{COMPREPLY[*]}}"'
        done = subprocess.run(["bash", "-c", program, script], capture_output=True, text=True, timeout=60)
        sweep.check(done.returncode == 0 and done.stdout.strip() == wanted, f"completing {words}: {done}")


def every_command(sweep):
    """--help and --version on every command that the program's own help lists; unknown options are refused by each."""
    status, out, _ = sweep.run("--help")
    lines = out.decode().split("Commands:\n")[1].split("\n\n")[0].splitlines()
    commands = [line.split()[0] for line in lines]
    sweep.check({"run", "pages", "counts", "time", "trace", "bench", "spec", "inspect"} <= set(commands), f"commands {commands}")
    for command in commands:
        for words in ([command, "--help"], [command, "-h"], ["help", command]):
            status, out, err = sweep.run(*words)
            sweep.check(status == 0 and err == b"" and out.startswith(f"Usage: wasmeter {command} ".encode()) and b"--version" in out, f"{words}: {status}")
        status, out, err = sweep.run(command, "--version")
        sweep.check(status == 0 and out.startswith(b"wasmeter ") and err == b"", f"{command} --version: {status}, {out}")
        status, out, err = sweep.run(command, "--no-such-option")
        sweep.check(status == 64 and out == b"" and one_line(err), f"{command} --no-such-option: {status}, {err}")


def host_memory(sweep):
    """A host with little address space: small runs work, larger ones end with 70 and one line."""
    import resource

    def limited(limit, *words):
        return subprocess.run([sweep.options.wasmeter, *words], input=b"", capture_output=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    crc = os.path.join(sweep.options.examples, "crc32.wasm")
    if limited(400 << 20, "--version").returncode != 0:
        print("host_memory: a sanitizer needs more address space than this limits; the unlimited run is checked alone")
        sweep.check(sweep.run("run", crc)[1] == b"00000000\n", "an unlimited run")
        return
    done = limited(400 << 20, "run", crc)
    sweep.check(done.returncode == 0 and done.stdout == b"00000000\n", f"400 MiB of address space: {done}")
    done = limited(40 << 20, "run", crc)
    sweep.check(done.returncode == 70 and done.stdout == b"" and one_line(done.stderr), f"40 MiB of address space: {done}")


# ---- Modules spelled in bytes, for what the assembler at hand cannot say ------------------------------------------------------


def leb(number):
    """Unsigned LEB128."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def vector(items):
    return leb(len(items)) + b"".join(items)


def spell(types, code, local_groups=(), tags=(), global_=b""):
    """A module of one function of type 0, exported as `f`."""
    body = vector(list(local_groups)) + code + b"\x0b"
    sections = [(1, vector(types)), (3, b"\1\0"), (13, vector(list(tags)) if tags else b""), (6, b"\1" + global_ if global_ else b""), (7, b"\1\1f\0\0"),
                (10, b"\1" + leb(len(body)) + body)]
    return b"\0asm\1\0\0\0" + b"".join(bytes([number]) + leb(len(data)) + data for number, data in sections if data)


FUNC = b"\x60\0\0"
NODE = b"\x5f\1\x63\1\1"  # type 1: a structure with a reference to its like
# Endless loops whose every round does much work in few instructions: what bounds them is --max-bulk-bytes.
HEAVY = {
    "zeroed locals of a tail call": spell([FUNC], b"\x12\0", [leb(1000000) + b"\x7e"]),
    "fields of a structure": spell([FUNC, b"\x5f" + vector([b"\x7f\1"] * 10000)], b"\x03\x40\xfb\1\1\x1a\x0c\0\x0b"),
    "catch clauses of a throw": spell([FUNC, FUNC], b"\x03\x40\x02\x40\x1f\x40" + leb(100001) + b"\0\0\0" * 100000 + b"\0\1\0\x08\1\x0b\x0b\x0c\0\x0b",
                                       tags=[b"\0\1", b"\0\1"]),
    "collections of a large heap": spell([FUNC, NODE], b"\x03\x40\x23\0\xfb\0\1\x24\0\x0c\0\x0b", global_=b"\x63\1\1\xd0\1\x0b"),
}


def heavy_instructions(sweep):
    """A budget bounds instructions; the limit on bulk work bounds what each of them does. Both streams stop at the same one."""
    for name, module in HEAVY.items():
        path = sweep.path("heavy.wasm", module)
        told = set()
        for stream in ("auto", "step"):
            status, out, err = sweep.run("run", path, "--stream", stream, "--max-bulk-bytes", "50M", "--invoke", "f")
            told.add(err)
            sweep.check(status == 4 and out == b"" and one_line(err) and b"bulk byte limit reached" in err, f"{name}, {stream}: {status}, {err}")
        sweep.check(len(told) == 1, f"{name}: the streams differ: {told}")
    # A call with more zeroed locals than are free of charge, from a function of the fast stream.
    path = sweep.path("heavy.wat", b"(module (func $many (result i32) (local i64 i64)" + b"(local i64)" * 600 +
                      b" (i32.const 1)) (func (export \"f\") (loop $l (drop (call $many)) (br $l))))")
    subprocess.run([sweep.options.wat2wasm, path, "-o", sweep.path("heavy-call.wasm")], check=True)
    runs = [sweep.run("run", sweep.path("heavy-call.wasm"), "--stream", stream, "--max-bulk-bytes", "1M", "--invoke", "f") for stream in ("auto", "step")]
    sweep.check(runs[0] == runs[1] and runs[0][0] == 4 and b"bulk byte limit reached" in runs[0][2], f"zeroed locals of a call: {runs}")


def files_that_cannot_be(sweep):
    """A file that may not grow is a write error; a file too large is refused by its size, on standard input too."""
    good = os.path.join(sweep.options.examples, "crc32.wasm")

    def no_growth():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    target = sweep.path("no-growth")
    done = subprocess.run([sweep.options.wasmeter, "run", good, "-i", "-", "-o", target], input=b"", capture_output=True, preexec_fn=no_growth)
    sweep.check(done.returncode == 74 and one_line(done.stderr), f"a file size limit: {done.returncode}, {done.stderr}")
    sweep.check(not os.path.exists(target), "a file size limit: nothing is left behind")
    huge = sweep.path("huge", b"")
    os.truncate(huge, 1 << 40)
    for words in ([good, "-i", "-"], ["-"], [good, "-i", huge], [huge]):
        with open(huge, "rb") as file:
            done = subprocess.run([sweep.options.wasmeter, "run", *words], stdin=file, capture_output=True, timeout=60)
        sweep.check(done.returncode == 65 and one_line(done.stderr) and b"large" in done.stderr, f"{words}: {done.returncode}, {done.stderr}")
    with open(huge, "rb") as file:
        file.seek((1 << 40) - 3)
        done = subprocess.run([sweep.options.wasmeter, "run", good, "-i", "-"], stdin=file, capture_output=True, timeout=60)
    sweep.check(done.returncode == 0 and done.stdout == b"ff41d912\n", f"the end of a huge file: {done.returncode}, {done.stdout}, {done.stderr}")


SWEEPS = [every_example_has_a_run, budgets, sinks, requests, page_sums, damage, peak_memory, plugins, output_files,
          inspection, pipelines, terminal, completion, every_command, host_memory, heavy_instructions, files_that_cannot_be]


def main():
    parser = argparse.ArgumentParser()
    for name in ("wasmeter", "examples", "plugins", "old-plugin", "peak"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--wat2wasm", default="wat2wasm")
    parser.add_argument("--without", default="", help="examples that have their own end-to-end tests, by name, parted by commas")
    parser.add_argument("sweeps", nargs="*")
    options = parser.parse_args()
    checks = failures = 0
    for function in SWEEPS:
        if options.sweeps and function.__name__ not in options.sweeps:
            continue
        with tempfile.TemporaryDirectory(prefix="wasmeter-sweep-") as scratch:
            sweep = Sweep(options, scratch)
            function(sweep)
        print(f"{function.__name__}: {sweep.checks} checks, {sweep.failures} failed")
        checks, failures = checks + sweep.checks, failures + sweep.failures
    print(f"{checks} checks, {failures} failed")
    return 1 if failures or checks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
