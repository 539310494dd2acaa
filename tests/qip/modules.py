"""Builds small modules for the contract's tests: modules.py CASES OUT.h

CASES is text. A line `@name WAT` names a fragment. A line `= name | expected` begins a case (`expected` is a string for the
test, and may be missing); the next line lists fragments, further lines are WAT fields. All cases go through one run of
wast2json (checking is the decoder's); OUT.h gets a table of struct module_case { name, expected, bytes, length }.
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def read_cases(text):
    fragments, cases = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            name, _, wat = line[1:].partition(" ")
            fragments[name] = wat
        elif line.startswith("= "):
            name, _, expected = line[2:].partition("|")
            cases.append({"name": name.strip(), "expected": expected.strip(), "lines": [], "line": number})
        else:
            cases[-1]["lines"].append(line)
    for case in cases:
        words = case["lines"][0].split() if case["lines"] else []
        unknown = [word for word in words if word not in fragments and word != "-"]
        if unknown:
            sys.exit(f"line {case['line']}: unknown fragments {unknown}")
        case["wat"] = "\n".join([fragments[word] for word in words if word != "-"] + case["lines"][1:])
    names = [case["name"] for case in cases]
    if len(set(names)) != len(names):
        sys.exit(f"a case name is used twice: {sorted(n for n in names if names.count(n) > 1)}")
    return cases


def main(source, out):
    cases = read_cases(pathlib.Path(source).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        wast = pathlib.Path(folder, "cases.wast")
        wast.write_text("\n".join(f"(module\n{case['wat']})" for case in cases), encoding="utf-8")
        listing = pathlib.Path(folder, "cases.json")
        subprocess.run(["wast2json", "--enable-all", "--no-check", str(wast), "-o", str(listing)], check=True)
        files = [command["filename"] for command in json.loads(listing.read_text())["commands"]]
        if len(files) != len(cases):
            sys.exit(f"{len(cases)} cases, but {len(files)} modules")
        modules = [pathlib.Path(folder, name).read_bytes() for name in files]
    lines = ["struct module_case { const char *name, *expected; const uint8_t *bytes; size_t length; };"]
    for i, module in enumerate(modules):
        lines.append(f"static const uint8_t module_{i}[] = {{{','.join(map(str, module))}}};")
    lines.append("static const struct module_case module_cases[] = {")
    for i, case in enumerate(cases):
        lines.append(f"  {{{json.dumps(case['name'])}, {json.dumps(case['expected'])}, module_{i}, sizeof module_{i}}},")
    lines.append("};")
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


main(*sys.argv[1:])
