;; No component: it imports a function.
(module
  (import "env" "log" (func (param i32)))
  (memory (export "memory") 1 1)
  (func (export "output_utf8_cap") (result i32) i32.const 4)
  (func (export "render") (param i32) (result i64) (i64.const 0)))
