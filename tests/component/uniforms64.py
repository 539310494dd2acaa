"""Writes the text of a component with 65 uniforms, u0 to u64: render returns their sum. uniforms64.py OUT.wat"""
import pathlib
import sys

setters = "\n".join(
    f'(func (export "uniform_set_u{i}") (param i32) (result i32)\n'
    f"  (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (local.get 0))) (local.get 0))"
    for i in range(65))
pathlib.Path(sys.argv[1]).write_text(f"""(module
(memory (export "memory") 1 1)
(func (export "output_bytes_cap") (result i32) (i32.const 4))
(func (export "render") (param i32) (result i64) (i64.const 4))
{setters})
""", encoding="utf-8")
