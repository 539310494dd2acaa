;; A module without a contract whose accesses a sink can watch: stores 8 bytes across the border of pages 0 and 1, reads 4.
(module
  (memory (export "memory") 2 2)
  (data (i32.const 8) "abc")
  (func (export "touch") (result i32)
    (i64.store (i32.const 65532) (i64.const -1))
    (i32.load (i32.const 8))))
