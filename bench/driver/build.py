"""Builds what the benchmarks run: kernels for wasm32 and for the host, the stop-watch, and the rewritten modules.

Everything lands in one work folder and is rebuilt when an input or the command line has changed (their digest is kept beside
each product), so a second run starts at once.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from . import wasmfile

BENCH = Path(__file__).resolve().parent.parent
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
# One set of semantics on both sides: no contraction, and square roots without a detour over errno.
COMMON = ["-O2", "-ffp-contract=off", "-fno-math-errno"]
WASM_FLAGS = ["--target=wasm32", "-ffreestanding", "-nostdlib", "-mbulk-memory", "-msign-ext", "-mnontrapping-fptoint"]
LINK_FLAGS = ["--no-entry", "--stack-first", "-z", "stack-size=65536", "--initial-memory=1048576", "--max-memory=1048576",
              "--strip-all"]


class BuildError(Exception):
    """A tool is missing or failed; the text says which and why."""


def find_tool(variable, names):
    """The tool that an environment variable names, else the first of the names on PATH, as a list of words; or None."""
    if os.environ.get(variable):
        return shlex.split(os.environ[variable])
    path = next((p for p in map(shutil.which, names) if p), None)
    return [path] if path else None


class Builder:
    def __init__(self, work):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.cc = find_tool("CC", ["gcc", "cc", "clang"])
        self.wasm_cc = find_tool("WASM_CC", ["clang", "clang-14"])
        self.wasm_ld = find_tool("WASM_LD", ["wasm-ld", "wasm-ld-14"])

    def _fresh(self, product, inputs, recipe):
        """Whether a product must be made; the second value is the stamp to write afterwards."""
        digest = hashlib.sha256(repr(recipe).encode())
        for path in inputs:
            digest.update(Path(path).read_bytes())
        stamp = product.with_name(product.name + ".stamp")
        wanted = digest.hexdigest()
        return product.exists() and stamp.exists() and stamp.read_text() == wanted, stamp, wanted

    def _run(self, product, inputs, commands):
        fresh, stamp, wanted = self._fresh(product, inputs, commands)
        if fresh:
            return product
        for command in commands:
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise BuildError(f"{command[0]} failed on {product.name}:\n{done.stderr.strip()}")
        stamp.write_text(wanted)
        return product

    def _write(self, product, inputs, recipe, make):
        fresh, stamp, wanted = self._fresh(product, inputs, recipe + (wasmfile.__file__,))
        if not fresh:
            product.write_bytes(make())
            stamp.write_text(wanted)
        return product

    def spawn(self):
        if not self.cc:
            raise BuildError("no C compiler for the host (gcc, cc or clang; or CC)")
        source = BENCH / "support" / "spawn.c"
        product = self.work / "spawn"
        return self._run(product, [source], [[*self.cc, *WARNINGS, "-O2", source, "-o", product]])

    def native(self, kernel):
        """The host program of a kernel: the workload and its main, compiled apart."""
        source, main = BENCH / "kernels" / f"{kernel}.c", BENCH / "support" / "native_main.c"
        header, product = BENCH / "kernels" / "bench.h", self.work / f"native-{kernel}"
        objects = [self.work / f"native-{kernel}.o", self.work / "native-main.o"]
        flags = [*self.cc, *WARNINGS, *COMMON]
        return self._run(product, [source, main, header], [
            [*flags, "-c", source, "-o", objects[0]], [*flags, "-c", main, "-o", objects[1]],
            [*self.cc, *objects, "-o", product]])

    def kernel(self, kernel, simd):
        if not self.wasm_cc or not self.wasm_ld:
            raise BuildError("the kernels need clang with its wasm32 target and wasm-ld (or WASM_CC and WASM_LD)")
        source, header = BENCH / "kernels" / f"{kernel}.c", BENCH / "kernels" / "bench.h"
        product, object_file = self.work / f"kernel-{kernel}.wasm", self.work / f"kernel-{kernel}.o"
        flags = [*self.wasm_cc, *WARNINGS, *COMMON, *WASM_FLAGS, *(["-msimd128"] if simd else [])]
        return self._run(product, [source, header], [
            [*flags, "-c", source, "-o", object_file], [*self.wasm_ld, *LINK_FLAGS, object_file, "-o", product]])

    def plugin(self, root):
        """The batch plugin of the sink tables: a shared object that needs only the two sink headers, or None without its source."""
        source, product = root / "examples" / "plugin" / "checksum.c", self.work / "checksum.so"
        if not source.exists():
            return None
        headers = [root / "instrument" / h for h in ("event.h", "sink.h")]
        return self._run(product, [source, *headers], [
            [*self.cc, *WARNINGS, "-O2", "-fPIC", "-shared", "-I", root, source, "-o", product]])

    def closed_component(self, name, component, content):
        product = self.work / f"component-{name}.wasm"
        recipe = ("component", hashlib.sha256(content).hexdigest())
        return self._write(product, [component], recipe, lambda: wasmfile.close_component(component.read_bytes(), content))

    def input_file(self, name, content):
        path = self.work / f"input-{name}.bin"
        path.write_bytes(content)
        return path

    def closed_call(self, module, n, export, expected=None):
        product = self.work / f"{module.stem}-{export}-{n}.wasm"
        return self._write(product, [module], ("call", n, export, expected),
                           lambda: wasmfile.close_call(module.read_bytes(), n, export, expected))

    def without_imports(self, module):
        product = self.work / f"closed-{module.stem}.wasm"
        return self._write(product, [module], ("imports",), lambda: wasmfile.close_imports(module.read_bytes()))

    def with_memory(self, module, pages):
        def make():
            parsed = wasmfile.Module(module.read_bytes())
            parsed.set_memory_pages(pages, pages)
            return parsed.encode()
        return self._write(self.work / f"{module.stem}-{pages}.wasm", [module], ("memory", pages), make)

    def tiny(self):
        return self._write(self.work / "tiny.wasm", [], ("tiny",), wasmfile.tiny_module)
