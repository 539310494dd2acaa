;; A component with a start function: refused; it can be invoked, the start function running first.
(module
  (memory (export "memory") 1 1)
  (global $g (mut i32) (i32.const 0))
  (func $init (global.set $g (i32.const 42)))
  (start $init)
  (func (export "output_utf8_cap") (result i32) i32.const 4)
  (func (export "get") (result i32) (global.get $g))
  (func (export "render") (param i32) (result i64) (i64.const 0)))
