;; Contract V1 without an output: run returns a number.
(module
  (memory (export "memory") 1 1)
  (global (export "input_ptr") i32 (i32.const 1024))
  (global (export "input_bytes_cap") i32 (i32.const 64))
  (func (export "run") (param i32) (result i32) (i32.mul (local.get 0) (i32.const -3))))
