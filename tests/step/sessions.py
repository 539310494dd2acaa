#!/usr/bin/env python3
"""Whole sessions of the debugger, compared with expected text: each through a pipe and through a pseudo-terminal with line editing.

A transcript (transcripts/*.txt, and every ```text block of a document that begins with `$ wasmeter step`) is

  $ wasmeter step ARGUMENTS       {x} example components, {m} modules/*.wat, {d} this folder, {s} a scratch folder
  text before the first command
  (wasmeter) COMMAND
  its text, messages included
  = 4                             the exit status when the commands come through a pipe (0 when there is no such line)

Several may follow each other in one file. `--write FILE` replaces the expected text by what a pipe gives. The check `keys` tries
the line editor: history, completion, editing keys, Ctrl-C at the prompt and during a run, colour.

Usage: sessions.py --wasmeter EXE --examples DIR --wat2wasm EXE [--write] FILE… | keys
"""
import argparse
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROMPT = "(wasmeter) "
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
FRESH = b"\r" + PROMPT.encode() + b"\x1b[K"  # a prompt with nothing typed behind it


class Session:
    def __init__(self, where, command):
        self.where, self.command, self.status = where, command, 0
        self.intro, self.steps = [], []  # steps: [command, lines]


def parse(path):
    """The sessions of a transcript, or of the text blocks of a document."""
    sessions, session, is_inside = [], None, not path.endswith(".md")
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if path.endswith(".md") and line.startswith("```"):
                is_inside, session = line == "```text", None
            elif is_inside and line.startswith("$ wasmeter step"):
                session = Session(f"{os.path.basename(path)}:{number}", line[2:])
                sessions.append(session)
            elif session is None:
                continue
            elif line.startswith(PROMPT):
                session.steps.append([line[len(PROMPT):], []])
            elif re.fullmatch(r"= \d+", line):
                session.status = int(line[2:])
            elif not line and not path.endswith(".md"):
                session = None
            else:
                (session.steps[-1][1] if session.steps else session.intro).append(line)
    return sessions


class Terminal:
    """The debugger behind a pseudo-terminal."""
    def __init__(self, words):
        self.pending = b""  # read, behind the last mark
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", COLUMNS="200")
            os.environ.pop("NO_COLOR", None)
            os.execv(words[0], words)

    def read_until(self, mark, seconds=60):
        """What comes up to the mark (None: up to the end), without it."""
        data, end = self.pending, time.monotonic() + seconds
        self.pending = b""
        while mark is None or mark not in data:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise SystemExit(f"the terminal fell silent after {data[-300:]!r}")
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                break
            data += more
        if mark is None:
            return data
        before, _, self.pending = data.partition(mark)
        return before

    def type(self, text):
        os.write(self.fd, text.encode() if isinstance(text, str) else text)

    def command(self, text):
        """Types a line; its text, without what the editor shows."""
        self.type(text + "\r")
        shown = self.read_until(b"\r\n")
        return self.read_until(FRESH), shown

    def end(self):
        self.type("\x04")
        self.read_until(None)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def lines_of(data):
    text = ESCAPES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


class Runner:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.checks = self.failures = 0
        self.places = {"x": options.examples, "m": scratch, "d": HERE, "s": scratch}
        for name in os.listdir(os.path.join(HERE, "modules")):
            subprocess.run([options.wat2wasm, "--enable-tail-call", "--debug-names", os.path.join(HERE, "modules", name), "-o",
                            os.path.join(scratch, name[:-4] + ".wasm")], check=True)

    def check(self, is_good, what):
        self.checks += 1
        if not is_good:
            self.failures += 1
            print(f"FAIL {what}")

    def compare(self, where, what, expected, found):
        expected = [line.replace(*pair) for line in expected for pair in [("{s}", self.scratch)]]
        self.check(expected == found, f"{where}: {what}\n  expected:\n    " + "\n    ".join(expected) + "\n  found:\n    " + "\n    ".join(found))

    def fill(self, text):
        return re.sub(r"\{([a-z])\}", lambda m: self.places.get(m.group(1), m.group(0)), text)

    def words(self, session):
        """The command; bare names are files of the places (documents are written for people)."""
        words = shlex.split(self.fill(session.command))
        for i, word in enumerate(words):
            for place in (self.places["m"], self.places["x"], self.places["d"]):
                if "/" not in word and "." in word and os.path.exists(os.path.join(place, word)):
                    words[i] = os.path.join(place, word)
        return [self.options.wasmeter] + words[1:]

    def piped(self, session):
        """Text of each command: a mark is printed between them."""
        script = "".join(f"print 0x{n:x}2222222222\n{self.fill(step[0])}\n" for n, step in enumerate(session.steps, 1))
        done = subprocess.run(self.words(session), input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        text, parts = done.stdout.decode("utf-8", "replace"), []
        for number in range(1, len(session.steps) + 1):
            mark = int(f"0x{number:x}2222222222", 16)
            before, _, text = text.partition(f"{mark} (0x{mark:x})\n")
            parts.append(before.splitlines())
        return done.returncode, parts + [text.splitlines()]

    def through_pipe(self, session):
        status, parts = self.piped(session)
        self.compare(session.where, "through a pipe, at the start", session.intro, parts[0])
        for (command, expected), found in zip(session.steps, parts[1:]):
            self.compare(session.where, f"through a pipe: {command}", expected, found)
        self.check(status == session.status, f"{session.where}: status {status} and not {session.status}")

    def through_terminal(self, session):
        words = self.words(session)
        terminal = Terminal(words[:2] + ["--color", "never"] + words[2:])
        self.compare(session.where, "at a terminal, at the start", session.intro, lines_of(terminal.read_until(FRESH)))
        for command, expected in session.steps:
            if command.split()[:1] in (["quit"], ["q"]):
                terminal.type(command + "\r")
                break
            found, _ = terminal.command(self.fill(command))
            self.compare(session.where, f"at a terminal: {command}", expected, lines_of(found))
        else:
            self.check(terminal.end() == 0, f"{session.where}: the terminal session's status")

    def play(self, path):
        sessions = parse(path)
        self.check(len(sessions) > 0, f"{path}: no session")
        for session in sessions:
            self.through_pipe(session)
            self.through_terminal(session)

    def written(self, session):
        status, parts = self.piped(session)
        lines = ["$ " + session.command] + parts[0]
        for (command, _), found in zip(session.steps, parts[1:]):
            lines += [PROMPT + command] + found
        return "\n".join(lines + ([f"= {status}"] if status else [])).replace(self.scratch, "{s}") + "\n"

    def write(self, path):
        texts = [self.written(session) for session in parse(path)]
        if path.endswith(".md"):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"(?<=```text\n)\$ wasmeter step.*?(?=```)", lambda _: texts.pop(0), file.read(), flags=re.DOTALL)
        else:
            text = "\n".join(texts)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def keys(self):
        large = os.path.join(self.scratch, "large.wasm")
        terminal = Terminal([self.options.wasmeter, "step", "--color", "always", large])
        start = terminal.read_until(FRESH)
        self.check(b"\x1b[1m#0 start" in start, f"no colour in {start!r}")
        found, _ = terminal.command("step 3")
        self.check(lines_of(found)[0] == "#3 step", f"step 3: {found!r}")
        for keys, expected, what in [
            ("", "#6 step", "an empty line repeats"),
            ("\x1b[A", "#9 step", "the arrow recalls"),
            ("\x1b[A\x7f5", "#14 step", "recalled and edited"),
            ("rint 7\x01p", "7", "Ctrl-A and typing in front"),
            ("prXint 8\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[3~", "8", "arrows and Delete"),
            ("print 9 nonsense\x17\x7f", "9", "Ctrl-W"),
            ("nonsense\x15print 4", "4", "Ctrl-U"),
            ("print 5 + 999\x02\x02\x02\x0b6", "11 (0xb)", "Ctrl-B and Ctrl-K"),
            ("reverse-st\t2", "#12 step", "completion of a command"),
            ("info cou\t", "instructions     12", "completion of an argument"),
            ("print 1\x03print 2", "2", "Ctrl-C drops the line"),
        ]:
            terminal.type(keys + "\r")
            data = terminal.read_until(FRESH)
            if "\x03" in keys or "\x15" in keys:  # an empty line is shown on the way
                data += terminal.read_until(FRESH)
            self.check(expected in lines_of(data.replace(b"\r\x1b", b"\x1b")) or expected in ESCAPES.sub("", data.decode()).replace("\r", "\n").split("\n"),
                       f"{what}: {data!r}")
        terminal.type("re\t\t")
        listed = terminal.read_until(b"reverse-continue  \r\n")
        self.check(b"reverse-step  reverse-next  reverse-finish  " in listed, f"no list of candidates in {listed!r}")
        terminal.type("\x15")
        terminal.read_until(FRESH)
        self.interrupt(terminal)
        self.check(terminal.end() == 0, "Ctrl-D ends with 0")

    def interrupt(self, terminal):
        """Ctrl-C while something runs: a run that stops a breakpoint's condition takes minutes, and is stopped at once."""
        terminal.command("break mark if l0 == -1")
        terminal.type("continue\r")
        terminal.read_until(b"\r\n")
        time.sleep(0.3)
        terminal.type("\x03")
        found = lines_of(terminal.read_until(FRESH))
        self.check(any(re.search(r"#\d+ interrupt$", line) for line in found), f"Ctrl-C during a run: {found}")
        found, _ = terminal.command("print instruction > 12")
        self.check(lines_of(found) == ["1"], f"after an interrupt: {found!r}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("wasmeter", "examples", "wat2wasm"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(options, scratch)
        for file in options.files:
            if file == "keys":
                runner.keys()
            elif options.write:
                runner.write(file)
            else:
                runner.play(file)
    print(f"{runner.checks} checks, {runner.failures} failures")
    return 1 if runner.failures or (not runner.checks and not options.write) else 0


if __name__ == "__main__":
    sys.exit(main())
