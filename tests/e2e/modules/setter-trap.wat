;; A uniform setter that traps on zero, and a named helper.
(module
  (memory (export "memory") 1 1)
  (func (export "output_utf8_cap") (result i32) i32.const 4)
  (func $divide (param i32) (result i32) (i32.div_u (i32.const 6) (local.get 0)))
  (func (export "uniform_set_divisor") (param i32) (result i32) (call $divide (local.get 0)))
  (func (export "uniform_set_odd") (param i32) (result i64) (i64.const 0))
  (func (export "render") (param i32) (result i64) (i64.const 0)))
