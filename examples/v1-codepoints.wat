;; v1-codepoints: the code points of a UTF-8 text as 32-bit little-endian integers.
;; Contract V1 with output_i32_cap: run(size) returns how many four-byte items it wrote. Here the
;; addresses and capacities are functions, the other form that V1 hosts accept.
;; The host has checked that the input is UTF-8, so the lead byte alone gives a sequence's length.
(module
  (memory (export "memory") 6 6)
  (func (export "input_ptr") (result i32) i32.const 65536)
  (func (export "input_utf8_cap") (result i32) i32.const 65536)
  (func (export "output_ptr") (result i32) i32.const 131072)
  (func (export "output_i32_cap") (result i32) i32.const 65536)

  (func (export "run") (param $size i32) (result i32)
    (local $at i32) (local $end i32) (local $out i32) (local $value i32) (local $more i32)
    (if (i32.gt_u (local.get $size) (i32.const 65536)) (then unreachable))
    (local.set $at (i32.const 65536))
    (local.set $end (i32.add (local.get $at) (local.get $size)))
    (local.set $out (i32.const 131072))
    (block $done
      (loop $sequence
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $value (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $more (i32.const 0))
        (if (i32.ge_u (local.get $value) (i32.const 0xf0))
          (then
            (local.set $more (i32.const 3))
            (local.set $value (i32.and (local.get $value) (i32.const 7))))
          (else
            (if (i32.ge_u (local.get $value) (i32.const 0xe0))
              (then
                (local.set $more (i32.const 2))
                (local.set $value (i32.and (local.get $value) (i32.const 15))))
              (else
                (if (i32.ge_u (local.get $value) (i32.const 0xc0))
                  (then
                    (local.set $more (i32.const 1))
                    (local.set $value (i32.and (local.get $value) (i32.const 31)))))))))
        (block $complete
          (loop $continuation
            (br_if $complete (i32.eqz (local.get $more)))
            (local.set $value
              (i32.or
                (i32.shl (local.get $value) (i32.const 6))
                (i32.and (i32.load8_u (local.get $at)) (i32.const 63))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $more (i32.sub (local.get $more) (i32.const 1)))
            (br $continuation)))
        (i32.store (local.get $out) (local.get $value))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $sequence)))
    (i32.shr_u (i32.sub (local.get $out) (i32.const 131072)) (i32.const 2))))
