"""Prints the tables: Markdown for people, JSON for machines, and what machine and engines they come from."""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines else ""


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine(builder):
    """What the figures depend on, besides the programs themselves."""
    return {
        "processor": processor(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
        "load_average": os.getloadavg()[0], "python": platform.python_version(),
        "cc": first_line([*builder.cc, "--version"]) if builder.cc else "",
        "wasm_cc": first_line([*builder.wasm_cc, "--version"]) if builder.wasm_cc else "",
        "wasm_ld": first_line([*builder.wasm_ld, "--version"]) if builder.wasm_ld else "",
        "source": first_line(["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]) if shutil.which("git") else "",
    }


def describe_engines(engines):
    rows = []
    for e in engines:
        data = Path(e.program).read_bytes() if e.program and Path(e.program).is_file() else b""
        rows.append({"name": e.name, "kind": e.kind_name, "version": e.version(), "bytes": len(data),
                     "sha256": hashlib.sha256(data).hexdigest() if data else ""})
    return rows


def command_line():
    """The command as typed, with folders left out of paths: they say nothing about the measurement."""
    words = []
    for word in sys.argv:
        head, equals, value = word.rpartition("=")
        words.append(head + equals + Path(value).name if "/" in value else word)
    return " ".join(words)


def markdown_table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "|".join(["---"] + ["---:"] * (len(columns) - 1)) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def markdown(tables, where, engines, options):
    out = ["# Benchmark run", "",
           f"{where['processor']}, {where['cores']} cores, {where['system']}, load average {where['load_average']:.2f} at the "
           f"start. Native code and stop-watch: {where['cc']}. Kernels for wasm32: {where['wasm_cc']}.", "",
           f"`{command_line()}`" + (f", source {where['source']}" if where["source"] else "")
           + f"; clock: {options.clock}; rounds: {options.rounds}.", "", "## Engines", ""]
    out += markdown_table(["engine", "kind", "version", "size", "SHA-256"],
                          [[e["name"], e["kind"], e["version"] or "–", f"{e['bytes']:,}" if e["bytes"] else "–",
                            e["sha256"][:12] or "–"] for e in engines])
    for table in tables:
        out += ["", f"## {table.title}", "", table.boundary, ""]
        out += markdown_table(table.columns, table.rows)
        if table.notes:
            out += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(out) + "\n"


def as_json(tables, where, engines, options):
    return json.dumps({
        "machine": where, "command": command_line(), "engines": engines,
        "options": {"clock": options.clock, "rounds": options.rounds, "scale": options.scale, "baseline": options.baseline},
        "tables": [{"key": t.key, "title": t.title, "boundary": t.boundary, "columns": t.columns, "rows": t.rows, "notes": t.notes,
                    "data": t.data} for t in tables],
    }, indent=1) + "\n"
