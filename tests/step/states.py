#!/usr/bin/env python3
"""States of the stepping debugger against runs that never went back, over every example.

goto       goto N for random N: counters, memory digest, locals, stack and globals of a fresh run stopped by budget N; the counters are
           also those of `wasmeter counts`
back       a step forward and a step back return to the same state
budgets    the counters of a session cut by budgets add up to those of one uninterrupted run
writers    who-wrote names the last write of a full trace, for every output byte
watch      a watchpoint on the output stops at each write of it and nowhere else; going back stops at the same places
breaks     going back over breakpoints makes the stops of going forward, backwards
snapshots  goto again with hardly any room for snapshots, and with many of them; and all of back, writers, watch and breaks with many
hostile    random scripts: one line for what is refused, and the debugger lives on

Usage: states.py --wasmeter EXE --examples DIR --wat2wasm EXE [--assemble SCRIPT] [--count N] CHECK…
SCRIPT is a Node.js program, IN.wat OUT.wasm, that knows garbage collection and exceptions: without it the module that has them is left out.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from sweeps import RUNS  # noqa: E402


class States:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.checks = self.failures = 0
        self.random = random.Random(7)
        self.more = []

    def check(self, is_good, what):
        self.checks += 1
        if not is_good:
            self.failures += 1
            print(f"FAIL {what}", flush=True)

    def run(self, *words, stdin=b""):
        done = subprocess.run([self.options.wasmeter, *words], input=stdin, capture_output=True, timeout=600)
        return done.returncode, done.stdout, done.stderr

    def runs(self):
        """(label, words) of each example's run, and of modules that move memory in every way."""
        for number, (name, data, uniforms) in enumerate(RUNS):
            words = [os.path.join(self.options.examples, name + ".wasm")]
            if data is not None:
                path = os.path.join(self.scratch, f"input-{number}")
                with open(path, "wb") as file:
                    file.write(data)
                words += ["-i", path]
            for uniform in uniforms:
                words += ["-u", uniform]
            yield f"{name} #{number}", words
        for name in ("bulk", "grow", "vectors"):
            yield name, [self.module(name)]
        if self.options.assemble:
            yield "objects", [self.module("objects")]
            yield "objects, uncaught", [self.module("objects"), "-u", "fatal=1"]

    def module(self, name):
        path = os.path.join(self.scratch, name + ".wasm")
        if not os.path.exists(path):
            self.assemble(name, path)
        return path

    def assemble(self, name, path):
        if name == "objects":  # not among those that wat2wasm knows
            subprocess.run(["node", self.options.assemble, os.path.join(HERE, "objects.wat"), path], check=True)
            return
        source = os.path.join(HERE, "modules", name + ".wat")
        subprocess.run([self.options.wat2wasm, "--enable-tail-call", "--debug-names", source, "-o", path], check=True)

    def session(self, words, commands, *more):
        """Stops as objects, digests in order, the status."""
        script = "\n".join(commands) + "\n"
        status, out, err = self.run("step", *words, "--json", *self.more, *more, stdin=script.encode())
        stops = [json.loads(line) for line in out.splitlines()]
        digests = [line.split()[1] for line in err.decode().splitlines() if line.startswith("memory ")]
        return stops, digests, status

    def length(self, words):
        stops, _, _ = self.session(words, ["goto end"])
        return stops[-1]["instruction"]

    def getters(self, words):
        """Instructions of the budget that getters of V1 and V2 take before anything counts."""
        stops, _, _ = self.session(words, [], "--post-mortem", "--budget", "30")
        return 30 - stops[-1]["instruction"] if stops[-1]["reason"] == "budget" else 0

    def numbers(self, length, count):
        if length <= count:
            return list(range(length + 1))
        picked = {0, 1, length - 1, length} | {self.random.randrange(length) for _ in range(count)}
        numbers = sorted(picked)
        self.random.shuffle(numbers)
        return numbers

    @staticmethod
    def state(stop):
        return {key: value for key, value in stop.items() if key != "reason"}

    # ---- Checks

    def goto(self, more=(), count=None):
        for label, words in self.runs():
            length, extra = self.length(words), self.getters(words)
            numbers = self.numbers(length, count or self.options.count)
            commands = [line for n in numbers for line in (f"goto {n}", "info digest")]
            stops, digests, _ = self.session(words, commands, *more)
            for at, n in enumerate(numbers):
                budget = ["--budget", str(n + extra)] if n < length else []  # what comes after render is on the budget too
                fresh, digest, _ = self.session(words, ["info digest"], "--post-mortem", *budget)
                self.check(self.state(fresh[-1]) == self.state(stops[at + 1]), f"{label}: goto {n} is not the state of a run of {n} instructions")
                self.check(digest == [digests[at]], f"{label}: goto {n}: other memory")
                if at % 10 == 0 and n > 0:
                    self.compare_counts(label, words, n, stops[at + 1], budget)

    def compare_counts(self, label, words, n, stop, budget):
        _, out, _ = self.run("counts", *words, *budget, "--partial", "-q")
        counts = dict(line.split(",") for line in out.decode().splitlines()[1:])
        told = dict(stop["counters"], instructions=stop["instruction"])
        self.check(all(int(counts[key]) == value for key, value in told.items()), f"{label}: counters at {n}: {told} but counts has {counts}")

    def snapshots(self):
        self.goto(("--history-bytes", "1", "--history-spacing", "7"), 12)
        self.goto(("--history-bytes", "60M", "--history-spacing", "3"), 12)

        self.more = ["--history-spacing", "50"]
        for check in (self.back, self.writers, self.watch, self.breaks):
            check()
        self.more = []

    def back(self):
        for label, words in self.runs():
            numbers = self.numbers(self.length(words), self.options.count)
            commands = [line for n in numbers for line in (f"goto {n}", "info digest", "step", "reverse-step", "info digest")]
            stops, digests, _ = self.session(words, commands)
            for at, n in enumerate(numbers):
                there, _, again = stops[1 + 3 * at:4 + 3 * at]
                if there["function"] is None or there["reason"] == "trap":  # the end: a step does nothing there
                    continue
                self.check(self.state(there) == self.state(again), f"{label}: forward and back at {n}")
                self.check(digests[2 * at] == digests[2 * at + 1], f"{label}: forward and back at {n}: other memory")

    def budgets(self):
        for label, words in self.runs():
            length = self.length(words)
            budget = length // 37 + 1
            stops, _, _ = self.session(words, [f"budget {budget}"] + ["continue"] * 40)
            whole, _, _ = self.session(words, ["continue"])
            sums = {}
            for before, after in zip(stops, stops[1:]):
                if after["reason"] == "budget":
                    self.check(after["instruction"] - before["instruction"] == budget, f"{label}: a budget of {budget} is not exact")
                for key, value in after["counters"].items():
                    sums[key] = sums.get(key, 0) + value - before["counters"][key]
            for key, value in stops[0]["counters"].items():
                sums[key] += value
            self.check(sums == whole[-1]["counters"], f"{label}: budgets do not add up")
            self.compare_counts(label, words, length, stops[-1], [])

    def output(self, words):
        """Address and size of the output; (0, 0) without one."""
        _, out, _ = self.run("step", *words, "-e", "print/u output", "-e", "print/u output_size")
        numbers = [line for line in out.decode().splitlines() if line.isdigit()]
        return tuple(map(int, numbers)) if len(numbers) == 2 else (0, 0)

    def writes(self, words, address, size):
        """The full trace: (instruction, function, first byte, end) of all that was written there."""
        _, out, _ = self.run("trace", *words, "--format", "json", "--kind", "store+copy+fill+init", "--range", f"{address}:{size}", "-q")
        for line in out.splitlines():
            event = json.loads(line)
            # a copy is told with both its ranges: it touches the output with either
            start = event.get("destination", event.get("address"))
            length = event.get("length", event.get("width"))
            if event["event"].startswith("after_") and start < address + size and start + length > address:
                yield event["instruction"], event["function"], start, start + length

    def writers(self):
        for label, words in self.runs():
            address, size = self.output(words)
            if size == 0:
                continue
            last = {}
            for instruction, function, start, end in self.writes(words, address, size):
                for byte in range(max(start, address), min(end, address + size)):
                    last[byte] = (instruction, function)
            _, out, _ = self.run("step", *words, *self.more, "-e", "goto end", "-e", "who-wrote output")
            told = {}
            for line in out.decode().splitlines():
                if not line.startswith("0x"):
                    continue
                place, what = line.split(": ", 1)
                first, _, end = place.partition("-")
                words_of = what.replace(",", " ").split()
                if words_of[0] != "instruction":
                    continue
                function = int(what.split("wasm-function[")[1].split("]")[0])
                for byte in range(int(first, 16), int(end or first, 16) + 1):
                    told[byte] = (int(words_of[1]), function)
            self.check(told == last, f"{label}: who-wrote differs from the trace in {sum(told.get(b) != w for b, w in last.items())} of {size} bytes")

    def watch(self):
        for label, words in self.runs():
            address, size = self.output(words)
            if size == 0:
                continue
            places = [instruction for instruction, _, _, _ in self.writes(words, address, size)]
            if not places:
                continue
            if len(places) > 3000:
                places = places[:300]
            commands = ["watch output"] + ["continue"] * (len(places) + 1)
            back = min(len(places), 40)
            stops, _, _ = self.session(words, commands)
            found = [stop["instruction"] for stop in stops if stop["reason"] == "watchpoint"]
            if len(found) > len(places):
                found = found[:len(places)]
            self.check(found == places, f"{label}: a watch on the output stopped {len(found)} times, {len(places)} writes")
            stops, _, _ = self.session(words, ["watch output", f"goto {places[-1] + 1}"] + ["reverse-continue"] * back)
            found = [stop["instruction"] for stop in stops[2:]]
            self.check(found == places[::-1][:back], f"{label}: back over the writes of the output: {found[:5]} and not {places[::-1][:5]}")

    def breaks(self):
        for label, words in self.runs():
            stops, _, _ = self.session(words, ["step 40", "step 40", "step 40"])
            places = sorted({stop["offset"] for stop in stops if stop["offset"] is not None})
            breaks = [f"break {offset}" for offset in places]
            forward, _, _ = self.session(words, breaks + ["continue"] * 30)
            here = [stop["instruction"] for stop in forward if stop["reason"] == "breakpoint"]
            if not here:
                continue
            backward, _, _ = self.session(words, breaks + [f"goto {here[-1]}"] + ["reverse-continue"] * (len(here) - 1))
            there = [stop["instruction"] for stop in backward if stop["reason"] == "breakpoint"]
            self.check(there == here[:-1][::-1], f"{label}: breakpoints backwards: {there[:6]} but forward {here[:6]}")

    def hostile(self):
        words_of = ["step", "next", "finish", "continue", "until", "goto", "rs", "rn", "rf", "rc", "break", "tbreak", "watch", "rwatch", "awatch", "delete",
                    "enable", "disable", "condition", "ignore", "info", "bt", "frame", "up", "down", "print", "x", "x/3xw", "x/s", "x/2f", "list", "disas",
                    "who-wrote", "set", "help", "budget", "start", "xyzzy", "", "#", "print/x", "info functions"]
        values = ["1", "0", "-1", "99999999999999999999", "18446744073709551615", "0xffffffff", "l0", "l99", "s0", "g0", "g7", "u8[0]", "u64[0xffffffff]",
                  "output", "input_ptr", "render", "render+3", "wasm-function[3]", "[99999]", "*0x40", "if", "1 if l0 ==", "1/0", "((((", "= =", "l0 = 7",
                  "u32[1024] = -5", "g0 = 1.5", "\x01\x7f\xff", "%s%n", "9" * 300, "(" * 5000, "-" * 5000, "1" + "+1" * 5000, "1,", "1,2,3", "locals", "end", "off", "3"]
        for label, words in self.runs():
            for _ in range(4):
                lines = ["budget 20000"]
                for _ in range(60):
                    lines.append(" ".join([self.random.choice(words_of)] + self.random.choices(values, k=self.random.randrange(3))))
                lines += ["delete", "print 6*7"]
                script = "\n".join(lines).encode("latin-1", "replace") + b"\n"
                status, out, err = self.run("step", *words, "--history-bytes", "4M", stdin=script)
                self.check(status in (0, 1, 4, 5, 6, 64), f"{label}: status {status} after {script!r}")
                self.check(out.endswith(b"42 (0x2a)\n"), f"{label}: the debugger did not live on: {script!r}")
                self.check(all(line.startswith(b"wasmeter: ") for line in err.splitlines()), f"{label}: {err[:300]!r}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("wasmeter", "examples", "wat2wasm"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--assemble")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("checks", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        states = States(options, scratch)
        for check in options.checks:
            getattr(states, check)()
    print(f"{states.checks} checks, {states.failures} failures")
    return 1 if states.failures or not states.checks else 0


if __name__ == "__main__":
    sys.exit(main())
