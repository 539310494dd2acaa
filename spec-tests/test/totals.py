"""Runs converted scripts with `wasmeter spec` and holds the last line against what is wanted.

usage: totals.py "WANTED LAST LINE" WASMETER spec [option...] PATH...

With WANTED `-` the last line must just say 0 failed. Prints the runner's own closing lines.
"""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True)
lines = done.stdout.splitlines()
for line in lines:
    if ": failed: " in line or ": unexpected pass: " in line:
        print(line)
print("\n".join(lines[-2:]))
wanted, last = sys.argv[1], lines[-1] if lines else ""
if done.returncode != 0 or (", 0 failed, " not in last if wanted == "-" else last != wanted):
    sys.exit(f"status {done.returncode}, wanted the last line: {wanted}")
