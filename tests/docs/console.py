"""Every console block of the documentation is what the commands really print.

usage: console.py [--update] WASMETER EXAMPLES_DIR FILE.md...

A block ```console holds `$ command` lines, each followed by its output (standard output and error together). The commands run in a
scratch folder that has the example components, `hello.md` and wasmeter on its PATH; variables and the status of the last
command carry on within a block. `...` alone on a line stands for any lines. --update writes the real output into the files
(blocks with `...` are left alone).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

arguments = sys.argv[1:]
UPDATE = arguments[:1] == ["--update"]
if UPDATE:
    arguments = arguments[1:]
WASMETER, EXAMPLES, FILES = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve(), arguments[2:]
HELLO = "# Hello\n\nSome *text* with [a link](https://example.com).\n"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
MARK = "\x01"


def parse(block):
    """[(command, output lines)]; a command ending in a backslash goes on in the next line."""
    steps = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)
            steps.append((command, []))
        else:
            steps[-1][1].append(line)
    return steps


def run(steps, folder):
    """The output lines of each command, all in one shell."""
    script = "".join(f"(exit $status)\n{command}\nstatus=$?\nprintf '\\001'\n" for command, _ in steps)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(["sh", "-c", "status=0\n" + script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120)
    return [part.splitlines() for part in done.stdout.split(MARK)[:-1]]


def matches(wanted, got):
    if not wanted:
        return not got
    if wanted[0] == "...":
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and wanted[0] == got[0] and matches(wanted[1:], got[1:])


passed = failed = 0
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    for module in EXAMPLES.glob("*.wasm"):
        shutil.copy(module, folder)
    for plugin in (EXAMPLES / "plugin").glob("*.so"):
        shutil.copy(plugin, folder)
    os.symlink(WASMETER, folder / "wasmeter")
    (folder / "hello.md").write_text(HELLO)
    for name in FILES:
        text = pathlib.Path(name).read_text()

        def check(match):
            global passed, failed
            steps = parse(match.group(1))
            outputs = run(steps, folder)
            if UPDATE and not any("..." in wanted for _, wanted in steps):
                parts = ["$ " + command + "\n" + "".join(line + "\n" for line in output) for (command, _), output in zip(steps, outputs)]
                return "```console\n" + "".join(parts) + "```"
            for (command, wanted), got in zip(steps, outputs):
                ok = matches(wanted, got)
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    print(f"FAIL {name}: $ {command}\n  documented: {wanted}\n  printed:    {got}")
            return match.group(0)

        updated = BLOCK.sub(check, text)
        if UPDATE and updated != text:
            pathlib.Path(name).write_text(updated)

if passed + failed == 0 and not UPDATE:
    failed = 1
    print("FAIL no console block was found")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
