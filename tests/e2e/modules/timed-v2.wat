;; A timed copy of an old component: its getters are functions, and would need the clock.
(module
  (import "qip_bench" "now_ms" (func $now (result f64)))
  (memory (export "memory") 1)
  (func (export "input_ptr") (result i32) i32.const 0)
  (func (export "input_bytes_cap") (result i32) call $now drop i32.const 16)
  (func (export "output_ptr") (result i32) i32.const 32)
  (func (export "output_bytes_cap") (result i32) i32.const 16)
  (func (export "render") (param i32) (result i32) local.get 0)
)
