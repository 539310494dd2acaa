#!/usr/bin/env python3
"""Going back over a hundred million instructions of a component with 50 MiB of memory: what each command takes, and that snapshots keep
to their limit. Prints figures (wall clock and processor time); fails only when a state is wrong or the limit is passed.

Usage: reverse.py --wasmeter EXE --wat2wasm EXE
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTH = 119600007
COMMANDS = [
    ("goto end", f"#{LENGTH} done"), ("reverse-step", f"#{LENGTH - 1} step"), ("reverse-step", f"#{LENGTH - 2} step"), ("reverse-next", f"#{LENGTH - 3} step"),
    ("goto 60000000", "#60000000 step"), ("reverse-step", "#59999999 step"), ("goto end", f"#{LENGTH} done"), ("watch 0, 4", "watchpoint 1"),
    ("reverse-continue", f"#{LENGTH - 2} watchpoint 1"), ("reverse-continue", "#0 begin"), ("goto end", f"#{LENGTH} done"), ("delete", ""),
    ("break mark if l1 == 4", "breakpoint 2"), ("goto 3000000", "#3000000 step"), ("reverse-continue", "#118 breakpoint 2"),
    ("goto end", f"#{LENGTH} done"), ("who-wrote 0, 4", f"0x0-0x3: instruction {LENGTH - 2},"),
]


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wasmeter", required=True)
    parser.add_argument("--wat2wasm", required=True)
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        module = os.path.join(scratch, "large.wasm")
        subprocess.run([options.wat2wasm, "--debug-names", os.path.join(HERE, "modules/large.wat"), "-o", module], check=True)
        process = subprocess.Popen([options.wasmeter, "step", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

        def ask(command):
            process.stdin.write(f"{command}\nprint 0x77777777\n")
            process.stdin.flush()
            lines = []
            while True:
                line = process.stdout.readline()
                if line.startswith("2004318071 (") or not line:
                    return lines
                lines.append(line.rstrip())
        ask("info memory")
        print(f"{'command':24} {'wall s':>8} {'cpu s':>8}")
        for command, expected in COMMANDS:
            wall, cpu = time.monotonic(), cpu_seconds(process.pid)
            lines = ask(command)
            print(f"{command:24} {time.monotonic() - wall:8.3f} {cpu_seconds(process.pid) - cpu:8.3f}")
            if not (lines[:1] or [""])[0].startswith(expected):
                failures += 1
                print(f"FAIL {command}: {lines} and not {expected}")
        history = ask("info history")[0]
        print(history)
        held, limit = map(int, re.search(r"(\d+) of (\d+) bytes", history).groups())
        if held > limit:
            failures += 1
            print("FAIL the snapshots pass their limit")
        process.stdin.close()
        process.wait()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
