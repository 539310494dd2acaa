"""Links one component: link.py WASM_LD WASM_STRIP OUT NAMED_OUT [wasm-ld argument...]

NAMED_OUT keeps the name section, OUT is the same code stripped, as it ships. Prints the size, and fails when the module
imports anything (an undefined symbol fails the link already).
"""
import pathlib
import subprocess
import sys

wasm_ld, wasm_strip, out, named, *arguments = sys.argv[1:]
subprocess.run([wasm_ld, "-o", named, *arguments], check=True)
subprocess.run([wasm_strip, named, "-o", out], check=True)
print(f"{pathlib.Path(out).name}: {pathlib.Path(out).stat().st_size:,} bytes")
