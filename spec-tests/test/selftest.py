"""The runner's own test: one expectation of every command kind is corrupted in turn, and exactly one failure must be seen.

usage: selftest.py WASMETER SUITE_DIR

SUITE_DIR is the converted suite. Each case takes a script up to the first command that fits, runs it as it is (nothing may
fail), then with that one command corrupted (exactly one failure, status 3). Two more cases check the ledger both ways, and
one that commands after a module that failed are failures too.
"""
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

WASMETER, SUITE = sys.argv[1], pathlib.Path(sys.argv[2]) / "core"
VALID = bytes([0, 0x61, 0x73, 0x6D, 1, 0, 0, 0])
MALFORMED = VALID[:7] + b"\x02"


def results(kind):
    """A matcher: assert_return whose first expected value is of this type (and, for floats, a NaN class)."""
    def fits(command):
        expected = command.get("expected") or [{}]
        value = expected[0]
        if "-nan" in kind:
            return value.get("type") == kind[:3] and str(value.get("value", "")).startswith("nan:")
        return value.get("type") == kind
    return fits


def set_value(new):
    def corrupt(command, _folder):
        command["expected"][0]["value"] = new
    return corrupt


def set_lane(new):
    def corrupt(command, _folder):
        command["expected"][0]["value"][-1] = new
    return corrupt


def set_text(command, _folder):
    command["text"] = "no such text"


def replace_file(data):
    def corrupt(command, folder):
        (folder / "corrupt.wasm").write_bytes(data)
        command["filename"] = "corrupt.wasm"
        command.pop("binary_filename", None)
        command["module_type"] = "binary"
    return corrupt


def set_member(*path, to):
    def corrupt(command, _folder):
        at = command
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to
    return corrupt


def drop_alternatives(command, _folder):
    for value in command["expected"][0]["values"]:
        value["value"] = ["77"] * len(value["value"])


def add_result(command, _folder):
    command["expected"].append({"type": "i32", "value": "0"})


def drop_result(command, _folder):
    command["expected"].pop()


def any_command(_command):
    return True


def multi(command):
    return len(command.get("expected") or []) >= 2


def vector(lane_type, nan=False):
    def fits(command):
        value = (command.get("expected") or [{}])[0]
        if value.get("type") != "v128" or value.get("lane_type") != lane_type:
            return False
        return (str(value["value"][-1]).startswith("nan:")) == nan
    return fits


def null(type_):
    def fits(command):
        value = (command.get("expected") or [{}])[0]
        return value.get("type") == type_ and value.get("value") == "null"
    return fits


def reference(type_, with_value):
    def fits(command):
        value = (command.get("expected") or [{}])[0]
        return value.get("type") == type_ and value.get("value") != "null" and ("value" in value) == with_value
    return fits


def get(command):
    return command["action"]["type"] == "get"


# command type, which one, how it is corrupted
CASES = [
    ("assert_return", results("i32"), set_value("123456789")),
    ("assert_return", results("i64"), set_value("123456789")),
    ("assert_return", results("f32"), set_value("123456789")),
    ("assert_return", results("f64"), set_value("123456789")),
    ("assert_return", results("f32-nan"), set_value("2143289345")),
    ("assert_return", results("f64-nan"), set_value("0")),
    ("assert_return", vector("i8"), set_lane("99")),
    ("assert_return", vector("i16"), set_lane("99")),
    ("assert_return", vector("i32"), set_lane("99")),
    ("assert_return", vector("i64"), set_lane("99")),
    ("assert_return", vector("f32"), set_lane("99")),
    ("assert_return", vector("f64"), set_lane("99")),
    ("assert_return", vector("f32", nan=True), set_lane("0")),
    ("assert_return", vector("f64", nan=True), set_lane("0")),
    ("assert_return", null("funcref"), set_member("expected", 0, "value", to="1")),
    ("assert_return", null("externref"), set_member("expected", 0, "value", to="1")),
    ("assert_return", results("refnull"), set_member("expected", 0, "type", to="funcref")),
    ("assert_return", reference("externref", True), set_value("4242")),
    ("assert_return", reference("funcref", False), set_value("null")),
    ("assert_return", reference("arrayref", False), set_member("expected", 0, "type", to="structref")),
    ("assert_return", reference("structref", False), set_member("expected", 0, "type", to="arrayref")),
    ("assert_return", reference("i31ref", False), set_member("expected", 0, "type", to="structref")),
    ("assert_return", reference("eqref", False), set_member("expected", 0, "value", to="null")),
    ("assert_return", results("either"), drop_alternatives),
    ("assert_return", multi, drop_result),
    ("assert_return", results("i32"), add_result),
    ("assert_return", get, set_value("123456789")),
    ("assert_return", results("i32"), set_member("action", "field", to="no such export")),
    ("assert_trap", any_command, set_text),
    ("assert_exhaustion", any_command, set_text),
    ("assert_exception", any_command, set_member("type", to="assert_trap")),
    ("assert_invalid", any_command, replace_file(VALID)),
    ("assert_invalid", any_command, replace_file(MALFORMED)),
    ("assert_malformed", lambda c: c["module_type"] == "binary", replace_file(VALID)),
    ("assert_unlinkable", any_command, set_text),
    ("assert_unlinkable", any_command, replace_file(VALID)),
    ("assert_uninstantiable", any_command, set_text),
    ("assert_uninstantiable", any_command, replace_file(VALID)),
    ("module", any_command, replace_file(MALFORMED)),
    ("module_definition", any_command, replace_file(MALFORMED)),
    ("module_instance", any_command, set_member("module", to="no such definition")),
    ("register", any_command, set_member("name", to="no such instance")),
    ("action", any_command, set_member("action", "field", to="no such export")),
]

scripts = sorted(SUITE.rglob("*.json"))
loaded = {}


def load(path):
    if path not in loaded:
        loaded[path] = json.loads(path.read_text())
    return loaded[path]


def find(type_, fits):
    for path in scripts:
        commands = load(path)["commands"]
        for at, command in enumerate(commands):
            if command["type"] == type_ and fits(command):
                return path, commands[: at + 1]
    return None, None


def run(folder, commands, *options):
    (folder / "case.json").write_text(json.dumps({"source_filename": "case.wast", "commands": commands}))
    done = subprocess.run([WASMETER, "spec", *options, str(folder / "case.json")], capture_output=True, text=True, timeout=120)
    last = done.stdout.strip().splitlines()[-1].split()
    return done.returncode, int(last[2]), int(last[0]), done.stdout + done.stderr


def prepare(path, commands, folder):
    for command in commands:
        for key in ("filename", "binary_filename"):
            if key in command:
                shutil.copy(path.parent / command[key], folder)


passed = failed = 0


def check(name, ok, told):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print(f"FAIL {name}\n{told}")


for type_, fits, corrupt in CASES:
    path, commands = find(type_, fits)
    name = f"{type_} in {path}"
    if path is None:
        check(f"no {type_} in the suite that fits", False, "")
        continue
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        prepare(path, commands, folder)
        status, failures, before, told = run(folder, commands)
        check(f"{name} as it is", status == 0 and failures == 0, told)
        commands = copy.deepcopy(commands)
        corrupt(commands[-1], folder)
        status, failures, after, told = run(folder, commands)
        is_assertion = type_.startswith("assert")
        check(f"{name} corrupted", status == 3 and failures == 1 and after == before - is_assertion, told)

with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    path, commands = find("assert_return", results("i32"))
    prepare(path, commands, folder)
    line = commands[-1]["line"]
    ledger = folder / "ledger"
    ledger.write_text(f"# expected\ncase.json:{line}\n")
    check("an unexpected pass fails", run(folder, commands, "--ledger", str(ledger))[0] == 3, "")
    wrong = copy.deepcopy(commands)
    wrong[-1]["expected"][0]["value"] = "123456789"
    status, failures, _, told = run(folder, wrong, "--ledger", str(ledger))
    check("an expected failure does not", status == 0 and failures == 0, told)
    first = next(c for c in wrong if c["type"] == "module")
    (folder / first["filename"]).write_bytes(MALFORMED)
    count = sum(c["type"].startswith("assert_return") for c in commands)
    status, failures, after, told = run(folder, commands)
    check("commands after a failed module fail", status == 3 and failures >= count + 1 and after == 0, told)

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
