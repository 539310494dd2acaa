;; Memory without a maximum: grows by the pages asked for, returns the pages before or -1.
(module
  (memory (export "memory") 1)
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "grow_twice") (param i32) (result i32) (drop (memory.grow (local.get 0))) (memory.grow (local.get 0)))
  (func (export "copy") (param i32) (result i32)
    (drop (memory.grow (i32.const 15)))
    (loop (memory.copy (i32.const 0) (i32.const 524288) (i32.const 524288))
          (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (i32.const 7)))
