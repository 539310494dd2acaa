"""Engines: where they are found, how they call bench_run(n), and how their answer is read.

An engine is a kind (one of KINDS, which knows the command line) and a program. Kinds differ in what they can call:
  argument   an export with an argument, straight from the kernel's module;
  result     an export without arguments whose result is printed: bench_run(n) with n built in;
  command    only a command's entry, without a result: n built in, and the right answer too; another answer traps.
`scale` multiplies the work given to an engine, so that fast and slow ones run for about as long: time is always reported for
one unit of work. The command lines of wasmi, wazero and Wizard follow their documentation.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

SUPPORT = Path(__file__).resolve().parent.parent / "support"
# More than any benchmark needs, so a budget is counted down but never reached.
BUDGET = str(10 ** 15)


@dataclass
class Kind:
    programs: list
    call: str
    command: object
    answer: str = ""
    scale: Fraction = Fraction(1)
    version: list = field(default_factory=lambda: ["--version"])


def wasmeter_command(program, module, n, *extra):
    return [program, "run", "--budget", BUDGET, *extra, module, "--invoke", "bench_run", str(n)]


KINDS = {
    "native": Kind([], "native", lambda p, m, n: [m, str(n)], r"^(\d+)$", Fraction(8), []),
    "node": Kind(["node"], "argument", lambda p, m, n: [p, SUPPORT / "node_run.mjs", m, "bench_run", str(n)], r"^(\d+)$",
                 Fraction(8)),
    "wasmeter": Kind([], "argument", wasmeter_command, r"^(-?\d+)$"),
    "wasm3": Kind(["wasm3"], "argument", lambda p, m, n: [p, "--func", "bench_run", m, str(n)], r"^Result: (-?\d+)$"),
    "iwasm": Kind(["iwasm"], "argument", lambda p, m, n: [p, "-f", "bench_run", m, str(n)], r"^(0x[0-9a-f]+):i32$"),
    "wasmi": Kind(["wasmi_cli", "wasmi"], "argument", lambda p, m, n: [p, "--invoke", "bench_run", m, str(n)],
                  r"^(-?\d+)$"),
    "toywasm": Kind(["toywasm"], "argument", lambda p, m, n: [p, "--load", m, "--invoke", f"bench_run {n}"],
                    r"^Result: (\d+):i32$", Fraction(1, 4)),
    "wizard": Kind(["wizeng", "wizeng.x86-64-linux"], "command:main", lambda p, m, n: [p, "-mode=int", m], "",
                   Fraction(1, 2)),
    "wasm-interp": Kind(["wasm-interp"], "result:bench_main", lambda p, m, n: [p, m, "--run-all-exports"],
                        r"^bench_main\(\) => i32:(\d+)$", Fraction(1, 16)),
    "wazero": Kind(["wazero"], "command:_start", lambda p, m, n: [p, "run", "-interpreter", m], "", Fraction(1, 8), ["version"]),
}


class Engine:
    def __init__(self, name, kind, program, extra=()):
        self.name, self.kind_name, self.kind, self.program, self.extra = name, kind, KINDS[kind], program, tuple(extra)

    @property
    def is_native(self):
        return self.kind.call == "native"

    def can_run(self, workload):
        """Components have no host build here; everything else runs everywhere, or fails and says so."""
        return workload.is_kernel or not self.is_native

    def units(self, base):
        """How many units of work this engine is given where the usual number is `base`."""
        return max(1, int(base * self.kind.scale))

    def command(self, builder, workload, n, expected):
        """The command line that runs n units of a workload; builds the module form that the engine needs."""
        if self.is_native:
            return self.kind.command(None, builder.native(workload.name), n)
        module = workload.module
        form, _, export = self.kind.call.partition(":")
        if form == "result":
            module = builder.closed_call(module, n, export)
        elif form == "command":
            module = builder.closed_call(module, n, export, expected)
        return self.kind.command(self.program, module, n, *self.extra)

    def answer(self, sample, expected):
        """The checksum a run printed, or None with the reason as a text."""
        if sample.status != 0:
            return None, failure(sample)
        if self.kind.call.startswith("command"):
            return expected, ""
        found = re.findall(self.kind.answer, (sample.out + b"\n" + sample.err).decode(errors="replace"), re.MULTILINE)
        return (int(found[-1], 0) & 0xFFFFFFFF, "") if found else (None, failure(sample))

    def version(self):
        if self.kind_name == "native" or not self.kind.version:
            return ""
        try:
            done = subprocess.run([self.program, *self.kind.version], capture_output=True, text=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        lines = (done.stdout or done.stderr).strip().splitlines()
        return lines[0] if lines and done.returncode == 0 else ""


def failure(sample):
    """Why a run counts as failed, in one line: what the engine said, else its exit status."""
    said = (sample.err or sample.out).decode(errors="replace").strip().splitlines()
    status = f"killed by signal {sample.status - 128}" if 128 < sample.status < 193 else f"status {sample.status}"
    return f"{status}: {said[0][:160]}" if said else status


def find_wasmeter(build, option):
    """The executable to measure: the option, the environment's WASMETER, else the build's; None when it is not built."""
    path = Path(option or os.environ.get("WASMETER") or build / "cli" / "wasmeter")
    return str(path.resolve()) if os.access(path, os.X_OK) else None


def parse_engine(text):
    """NAME=PATH or NAME=KIND:PATH; without a kind the name is the kind."""
    name, equals, rest = text.partition("=")
    kind, colon, path = rest.partition(":")
    if not colon or kind not in KINDS:
        kind, path = name, rest
    if not equals or not path or kind not in KINDS:
        raise ValueError(f"engine {text!r}: give NAME=PATH or NAME=KIND:PATH with a kind of {', '.join(KINDS)}")
    return Engine(name, kind, shutil.which(path) or path)


def find_engines(wasmeter, named):
    """Every engine there is: native code, wasmeter, what is on PATH, then what options and BENCH_ENGINES name."""
    engines = {"native": Engine("native", "native", None)}
    if wasmeter:
        engines["wasmeter"] = Engine("wasmeter", "wasmeter", wasmeter)
    for name, kind in KINDS.items():
        path = next((p for p in map(shutil.which, kind.programs) if p), None)
        if path:
            engines[name] = Engine(name, name, path)
    for text in os.environ.get("BENCH_ENGINES", "").split() + list(named):
        engine = parse_engine(text)
        engines[engine.name] = engine
    return list(engines.values())
