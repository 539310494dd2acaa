#!/usr/bin/env python3
"""Looks at the fast loop's machine code, compiled here as the build compiles it.

usage: test_interp_loops.py ROOT -- COMPILER ARGS...
1. Threaded form: about as many indirect jumps as handlers, so that dispatch is not shared.
2. The bare loop: neither it nor what it refers to depends on the tapped loops or on any sink.
"""
import os
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_loop(compiler, root, name, folder, extra=()):
    path = os.path.join(folder, name + ".o")
    run(*compiler, *extra, "-I", root, "-c", os.path.join(root, "interp", name + ".c"), "-o", path)
    return path


def count_handlers(compiler, root):
    text = '#include "interp/fast.h"\nint handlers[WM_OP_F_NONE + WM_FAST_OP_COUNT];\n'
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "count.c")
        with open(source, "w") as file:
            file.write(text)
        run(*compiler, "-I", root, "-c", source, "-o", source + ".o")
        size = re.search(r"^\S+ (\S+) B handlers$", run("nm", "-S", source + ".o"), re.M)
        return int(size.group(1), 16) // 4 - 1


def disassembly(path):
    return re.sub(r"^.*file format.*$", "", run("objdump", "-dr", "--no-show-raw-insn", path), flags=re.M)


def main():
    root, compiler = sys.argv[1], sys.argv[3:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        bare = compile_loop(compiler, root, "loop_bare", folder, ["-DWM_DISPATCH_GOTO=1"])
        code = disassembly(bare)
        handlers = count_handlers(compiler, root)
        jumps = len(re.findall(r"\b(?:notrack )?jmp\s+\*", code))
        print(f"{handlers} handlers, {jumps} indirect jumps")
        if not handlers <= jumps <= 2 * handlers:
            failures.append("indirect jumps are shared or duplicated")
        undefined = set(re.findall(r"^\s+U (\S+)$", run("nm", bare), re.M))
        print("refers to", ", ".join(sorted(undefined)))
        foreign = {name for name in undefined if re.search("tell|tap|pages|sink", name)}
        if foreign:
            failures.append(f"the bare loop knows {foreign}")
        # Everything of taps taken away: the same source in a folder that has no tapped loop and no page step.
        reduced = os.path.join(folder, "reduced")
        for folder_name in ("interp", "instrument", "decoder"):
            os.makedirs(os.path.join(reduced, folder_name))
            source = os.path.join(root, folder_name)
            for entry in os.listdir(source):
                if entry.startswith(("loop_tap", "loop_pages", "loop_tell", "pages_step", "tell.c")):
                    continue
                os.symlink(os.path.join(source, entry), os.path.join(reduced, folder_name, entry))
        alone = compile_loop(compiler, reduced, "loop_bare", os.path.join(folder, "reduced"), ["-DWM_DISPATCH_GOTO=1"])
        if disassembly(alone) != code:
            failures.append("the bare loop's code differs without the tap files")
        if "pages" in disassembly(compile_loop(compiler, root, "loop_tap", folder, ["-DWM_DISPATCH_SWITCH=1", "-O0"])):
            failures.append("the tapped loop knows a sink")
    for failure in failures:
        print("failed:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
