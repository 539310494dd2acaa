;; fail: fails on request, for trying out a host. The input's first byte chooses how:
;;   u unreachable             m load outside memory      d division by zero      o overflow (MIN / -1)
;;   s never ends              r rejection, no detail     t table slot is empty   x table index outside
;;   b result with reserved bits set       l result longer than its capacity
;;   p result outside memory               8 result that is not UTF-8
;; Anything else, nothing included, is passed through unchanged: the result is a slice of the input.
;; Contract V3; failure_modes_per_input_offset is zero, so a rejection says only "no".
(module
  (type $action (func))
  (memory (export "memory") 2 2)
  (table 2 2 funcref)
  (elem (i32.const 0) $nothing)

  (func (export "input_ptr") (result i32) i32.const 65536)
  (func (export "input_utf8_cap") (result i32) i32.const 4096)
  (func (export "output_utf8_cap") (result i32) i32.const 4096)
  (func (export "failure_modes_per_input_offset") (result i32) i32.const 0)

  (func $nothing (type $action))

  (func $spin
    (loop $forever
      (br $forever)))

  (func (export "render") (param $size i32) (result i64)
    (local $how i32)
    (if (i32.gt_u (local.get $size) (i32.const 4096)) (then unreachable))
    (if (local.get $size)
      (then (local.set $how (i32.load8_u (i32.const 65536)))))

    (if (i32.eq (local.get $how) (i32.const 0x75)) ;; u
      (then unreachable))
    (if (i32.eq (local.get $how) (i32.const 0x6d)) ;; m: the last byte is inside, the other three are not
      (then (drop (i32.load (i32.const 131071)))))
    (if (i32.eq (local.get $how) (i32.const 0x64)) ;; d
      (then (drop (i32.div_u (local.get $size) (i32.const 0)))))
    (if (i32.eq (local.get $how) (i32.const 0x6f)) ;; o
      (then (drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))))
    (if (i32.eq (local.get $how) (i32.const 0x73)) ;; s
      (then (call $spin)))
    (if (i32.eq (local.get $how) (i32.const 0x72)) ;; r
      (then (return (i64.const 0x8000000000000000))))
    (if (i32.eq (local.get $how) (i32.const 0x74)) ;; t
      (then (call_indirect (type $action) (i32.const 1))))
    (if (i32.eq (local.get $how) (i32.const 0x78)) ;; x
      (then (call_indirect (type $action) (i32.const 2))))
    (if (i32.eq (local.get $how) (i32.const 0x62)) ;; b
      (then (return (i64.const 0x8000000100000000))))
    (if (i32.eq (local.get $how) (i32.const 0x6c)) ;; l: 4097 bytes from 65536
      (then (return (i64.const 0x0001000000001001))))
    (if (i32.eq (local.get $how) (i32.const 0x70)) ;; p: 2 bytes from 131071
      (then (return (i64.const 0x0001ffff00000002))))
    (if (i32.eq (local.get $how) (i32.const 0x38)) ;; 8: a continuation byte alone
      (then
        (i32.store8 (i32.const 1024) (i32.const 0x80))
        (return (i64.const 0x0000040000000001))))

    (i64.or
      (i64.const 0x0001000000000000)
      (i64.extend_i32_u (local.get $size)))))
