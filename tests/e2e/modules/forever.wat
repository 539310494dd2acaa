;; A generator that never ends.
(module
  (memory (export "memory") 1)
  (func (export "output_utf8_cap") (result i32) i32.const 4)
  (func (export "render") (param i32) (result i64) loop br 0 end i64.const 0)
)
