"""Both dialects give the same counts: scripts converted by wabt's wast2json and by our converter, run one after the other.

usage: dialect.py WASMETER SCRIPTS_DIR SUITE_DIR WAST2JSON

SCRIPTS_DIR holds the .wast files, SUITE_DIR our conversion of them.
"""
import pathlib
import subprocess
import sys
import tempfile

WASMETER, SCRIPTS, SUITE, WAST2JSON = sys.argv[1], *map(pathlib.Path, sys.argv[2:4]), sys.argv[4]

# Between them: every command kind and value that wabt 1.0.32 can write.
FILES = ["i32", "i64", "f32", "f64", "f32_cmp", "float_literals", "float_misc", "const", "br_table", "call_indirect", "conversions", "exports",
         "globals", "linking0", "imports0", "memory_grow", "endianness", "stack", "skip-stack-guard-page", "call", "traps", "utf8-custom-section-id",
         "simd/simd_const", "simd/simd_f32x4_arith", "simd/simd_f64x2_rounding", "simd/simd_i8x16_arith2", "simd/simd_load", "simd/simd_splat",
         "relaxed-simd/relaxed_min_max", "relaxed-simd/relaxed_laneselect", "relaxed-simd/i32x4_relaxed_trunc", "memory_fill", "bulk-memory/memory_fill",
         "bulk-memory/table_init", "table_get", "ref_is_null", "ref_null", "multi-memory/load0", "multi-memory/linking0"]

passed = failed = 0


def counts(path):
    done = subprocess.run([WASMETER, "spec", str(path)], capture_output=True, text=True, timeout=120)
    return done.stdout.strip().splitlines()[-1] if done.stdout else done.stderr


with tempfile.TemporaryDirectory() as scratch:
    compared = 0
    for name in FILES:
        source = SCRIPTS / "core" / f"{name}.wast"
        if not source.exists():
            continue
        out = pathlib.Path(scratch) / (name.replace("/", "-") + ".json")
        made = subprocess.run([WAST2JSON, "--enable-all", str(source), "-o", str(out)], capture_output=True, text=True)
        if made.returncode != 0:
            continue
        compared += 1
        ours, theirs = counts(SUITE / "core" / f"{name}.json"), counts(out)
        same = ours == theirs and " 0 failed" in ours
        passed, failed = passed + same, failed + (not same)
        if not same:
            print(f"FAIL {name}: ours {ours!r}, wast2json's {theirs!r}")
    if compared < 25:
        failed += 1
        print(f"FAIL only {compared} scripts could be compared")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
