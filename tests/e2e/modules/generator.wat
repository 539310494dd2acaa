;; A generator: no input; writes four bytes.
(module
  (memory (export "memory") 1 1)
  (func (export "output_utf8_cap") (result i32) i32.const 4)
  (func (export "render") (param i32) (result i64)
    (i32.store (i32.const 256) (i32.const 0x0a6b6f21))
    (i64.const 0x10000000004)))
