#!/usr/bin/env python3
"""Runs the command-line cases: tables of command, standard input, expected output, messages and exit status.

A case file (cases/*.txt) holds blocks parted by empty lines:

  # a remark                  $ wasmeter pages {m}/tiny.wasm -i -      the command, as a shell would split it
  < a line of standard input  > a line of standard output, exactly
  ! a line of standard error, exactly; `*` stands for any text
  = 65                        the exit status (0 when there is no such line)
  @ stdout=/dev/full          also: stdout=closed, stdin=closed, stdin=FILE, stdout=any, stdout=match (`*` in `>` lines), env NAME=VALUE, after FILE exists|absent,
                              file NAME = text (a scratch file is written first), same NAME (stdout equals that scratch file)

Nothing may appear that is not expected: no `>` line means nothing on standard output. Places: {m} modules compiled from
modules/*.wat, {x} the example components, {p} the example plugins, {s} a scratch folder, {d} this folder, {r} the repository.

Usage: run.py --wasmeter EXE --examples DIR --plugins DIR --wat2wasm EXE [--only NAME] [CASE-FILE …]
"""
import argparse
import fnmatch
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Block:
    def __init__(self, where):
        self.where, self.command = where, None
        self.stdin, self.stdout, self.stderr, self.at = [], [], [], []
        self.status = 0


def parse(path):
    """Yields the blocks of one case file; a line of no known kind is an error of the file."""
    block = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            where = f"{os.path.basename(path)}:{number}"
            if not line.strip():
                if block and block.command:
                    yield block
                    block = None
                continue
            kind, rest = line[0], line[2:]
            if kind == "#":
                continue
            block = block or Block(where)
            if kind == "$":
                if block.command:
                    raise SystemExit(f"{where}: two commands in one block")
                block.command, block.where = rest, where
            elif kind in "<>!@":
                {"<": block.stdin, ">": block.stdout, "!": block.stderr, "@": block.at}[kind].append(rest)
            elif kind == "=":
                block.status = int(rest)
            else:
                raise SystemExit(f"{where}: what is this? {line}")
    if block and block.command:
        yield block


def matches(pattern, text):
    """Exact, but for `*`."""
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), text, re.DOTALL) is not None


class Runner:
    def __init__(self, options, scratch):
        self.wasmeter = options.wasmeter
        self.places = {"m": os.path.join(scratch, "modules"), "x": options.examples, "p": options.plugins, "s": scratch, "d": HERE,
                       "r": os.path.dirname(os.path.dirname(HERE))}
        self.passed, self.failed = 0, 0

    def fill(self, text):
        return re.sub(r"\{([a-z])\}", lambda m: self.places.get(m.group(1), m.group(0)), text)

    def compile(self, wat2wasm):
        os.mkdir(self.places["m"])
        source = os.path.join(HERE, "modules")
        for name in sorted(os.listdir(source)):
            if name.endswith(".wat"):
                target = os.path.join(self.places["m"], name[:-4] + ".wasm")
                subprocess.run([wat2wasm, os.path.join(source, name), "-o", target], check=True)

    def problem(self, block):
        """Runs a block; returns None or what is wrong."""
        words = shlex.split(self.fill(block.command))
        if words[0] == "wasmeter":
            words[0] = self.wasmeter
        env = dict(os.environ)
        env.pop("NO_COLOR", None)
        stdin, stdout, any_stdout, has_patterns, same, after = subprocess.PIPE, subprocess.PIPE, False, False, None, []
        opened, closed = [], []
        for item in block.at:
            item = self.fill(item)
            key, _, value = item.partition("=")
            if item.startswith("env "):
                env[key[4:]] = value
            elif item.startswith("file "):
                name, _, text = item[5:].partition(" = ")
                with open(os.path.join(self.places["s"], name), "wb") as file:
                    file.write(text.encode().decode("unicode_escape").encode("latin-1"))
            elif item.startswith("same "):
                same = os.path.join(self.places["s"], item[5:])
            elif item.startswith("after "):
                after.append(item[6:].split())
            elif item == "stdout=any":
                any_stdout = True
            elif item == "stdout=match":
                has_patterns = True
            elif item in ("stdout=closed", "stdin=closed"):
                closed.append(0 if key == "stdin" else 1)
            elif key == "stdout":
                stdout = open(value, "wb")
                opened.append(stdout)
            elif key == "stdin":
                stdin = open(value, "rb")
                opened.append(stdin)
            else:
                return f"unknown directive {item}"

        def close_some():
            for fd in closed:
                os.close(fd)

        text = ("\n".join(block.stdin) + "\n" if block.stdin else "").encode() if stdin == subprocess.PIPE else None
        done = subprocess.run(words, input=text, stdin=None if text is not None else stdin, stdout=stdout, stderr=subprocess.PIPE, env=env,
                              preexec_fn=close_some if closed else None, timeout=120)
        for file in opened:
            file.close()
        if done.returncode != block.status:
            return f"status {done.returncode}, expected {block.status}; stderr: {done.stderr.decode(errors='replace')}"
        got = done.stdout or b""
        if same is not None:
            with open(same, "rb") as file:
                if file.read() != got:
                    return "standard output differs from the file"
        elif has_patterns:
            if not matches("\n".join(self.fill(line) for line in block.stdout), got.decode(errors="replace").rstrip("\n")):
                return f"stdout {got!r}, expected {block.stdout!r}"
        elif not any_stdout:
            lines = "".join(self.fill(line) + "\n" for line in block.stdout).encode()
            if got != lines and got != lines[:-1]:
                return f"stdout {got!r}, expected {lines!r}"
        err = done.stderr.decode(errors="replace")
        patterns = [self.fill(line) for line in block.stderr]
        if not matches("".join(line + "\n" for line in patterns), err):
            return f"stderr {err!r}, expected {patterns!r}"
        for path, wanted in after:
            if os.path.exists(path) != (wanted == "exists"):
                return f"{path} should be {wanted}"
        return None

    def run_file(self, path, only):
        for block in parse(path):
            if only and not fnmatch.fnmatch(block.command, f"*{only}*"):
                continue
            problem = self.problem(block)
            if problem is None:
                self.passed += 1
            else:
                self.failed += 1
                print(f"FAIL {block.where}\n  $ {self.fill(block.command)}\n  {problem}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("wasmeter", "examples", "plugins"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--wat2wasm", default="wat2wasm")
    parser.add_argument("--only")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or sorted(os.path.join(HERE, "cases", name) for name in os.listdir(os.path.join(HERE, "cases")) if name.endswith(".txt"))
    with tempfile.TemporaryDirectory(prefix="wasmeter-e2e-") as scratch:
        runner = Runner(options, scratch)
        runner.compile(options.wat2wasm)
        for path in files:
            runner.run_file(path, options.only)
    print(f"{runner.passed} passed, {runner.failed} failed")
    return 1 if runner.failed or runner.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
