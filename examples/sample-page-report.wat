;; sample-page-report: a component whose page report is known beforehand, row for row:
;;
;;   page,region,initialized_bytes,reads,bytes_read,writes,bytes_written,distinct_bytes_written,rewrite_ratio
;;   15,stack,0,935,3348,700,2888,415,6.96
;;   16,data+input,43776,641,1825,7,28,4,7.00
;;   48,input+output,0,400,1336,144,176,88,2.00
;;   80,other,0,23,92,4,16,16,1.00
;;
;; It renders one Markdown text, the 56 bytes that its data holds, and rejects any other at the first byte that
;; differs. What it does besides is only there for the figures: each call in $render says which it adds to.
;; Contract V3, strict profile. The build replaces @repeat(N, TEXT)@ by N copies of TEXT before assembling.
;;
;;   1048160  stack frame of $render: 25 words of 8 bytes, 31 of 4, 91 bytes      (page 15, below global 0's start)
;;   1048576  HTML, 88 bytes; the text it stands for, 56; a counter, 4; content types, 22; filler      (page 16)
;;   1092296  input, 2 MiB                                                                    (pages 16 to 48)
;;   3189504  output, 88 bytes                                                                       (page 48)
;;   5242880  scratch, 16 bytes                                                                      (page 80)
(module
  (memory (export "memory") 96 96)
  (global $stack_pointer (mut i32) (i32.const 1048576))

  (func (export "input_ptr") (result i32) i32.const 1092296)
  (func (export "input_utf8_cap") (result i32) i32.const 2097152)
  (func (export "output_utf8_cap") (result i32) i32.const 88)
  (func (export "failure_modes_per_input_offset") (result i32) i32.const 1)
  (func (export "input_content_type_ptr") (result i32) i32.const 1048724)
  (func (export "input_content_type_size") (result i32) i32.const 13)
  (func (export "output_content_type_ptr") (result i32) i32.const 1048737)
  (func (export "output_content_type_size") (result i32) i32.const 9)

  ;; Each of these six makes $times accesses of one width, from $base on, going back to $base after $span bytes.
  (func $read8 (param $base i32) (param $span i32) (param $times i32)
    (local $at i32)
    (loop $again
      (drop (i32.load8_u (i32.add (local.get $base) (local.get $at))))
      (local.set $at (i32.rem_u (i32.add (local.get $at) (i32.const 1)) (local.get $span)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))

  (func $read32 (param $base i32) (param $span i32) (param $times i32)
    (local $at i32)
    (loop $again
      (drop (i32.load (i32.add (local.get $base) (local.get $at))))
      (local.set $at (i32.rem_u (i32.add (local.get $at) (i32.const 4)) (local.get $span)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))

  (func $read64 (param $base i32) (param $span i32) (param $times i32)
    (local $at i32)
    (loop $again
      (drop (i64.load (i32.add (local.get $base) (local.get $at))))
      (local.set $at (i32.rem_u (i32.add (local.get $at) (i32.const 8)) (local.get $span)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))

  (func $write8 (param $base i32) (param $span i32) (param $times i32)
    (local $at i32)
    (loop $again
      (i32.store8 (i32.add (local.get $base) (local.get $at)) (local.get $times))
      (local.set $at (i32.rem_u (i32.add (local.get $at) (i32.const 1)) (local.get $span)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))

  (func $write32 (param $base i32) (param $span i32) (param $times i32)
    (local $at i32)
    (loop $again
      (i32.store (i32.add (local.get $base) (local.get $at)) (local.get $times))
      (local.set $at (i32.rem_u (i32.add (local.get $at) (i32.const 4)) (local.get $span)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))

  (func $write64 (param $base i32) (param $span i32) (param $times i32)
    (local $at i32)
    (loop $again
      (i64.store (i32.add (local.get $base) (local.get $at)) (i64.extend_i32_u (local.get $times)))
      (local.set $at (i32.rem_u (i32.add (local.get $at) (i32.const 8)) (local.get $span)))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))

  ;; One read and one write of 4 bytes on page 16.
  (func $count_step
    (i32.store (i32.const 1048720) (i32.add (i32.load (i32.const 1048720)) (i32.const 1))))

  ;; The offset of the first input byte that is not the known text's. Page 16: 56 + 56 reads of one byte.
  (func $matching (result i32)
    (local $at i32)
    (block $differs
      (loop $next
        (br_if $differs
          (i32.ne
            (i32.load8_u offset=1092296 (local.get $at))
            (i32.load8_u offset=1048664 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (i32.const 56)))))
    (local.get $at))

  ;; The HTML byte by byte: 88 reads of page 16 and 88 writes of page 48, one byte each.
  (func $copy_bytes (param $from i32) (param $end i32)
    (loop $next
      (i32.store8 offset=3189504 (local.get $from) (i32.load8_u offset=1048576 (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end)))))

  ;; Bytes 48 to 72 in 6 words of 4, bytes 72 to 88 in 2 words of 8: as many reads of page 16 and writes of page 48.
  (func $copy_words
    (local $at i32)
    (local.set $at (i32.const 48))
    (loop $next4
      (i32.store offset=3189504 (local.get $at) (i32.load offset=1048576 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next4 (i32.lt_u (local.get $at) (i32.const 72))))
    (loop $next8
      (i64.store offset=3189504 (local.get $at) (i64.load offset=1048576 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next8 (i32.lt_u (local.get $at) (i32.const 88)))))

  (func (export "render") (param $size i32) (result i64)
    (local $frame i32) (local $same i32)
    (if (i32.gt_u (local.get $size) (i32.const 2097152)) (then unreachable))
    (local.set $same (call $matching))
    (if (i32.gt_u (local.get $same) (local.get $size))
      (then (local.set $same (local.get $size))))
    (if (i32.or (i32.lt_u (local.get $same) (i32.const 56)) (i32.ne (local.get $size) (i32.const 56)))
      (then (return (i64.or (i64.const 0x8000000000000000) (i64.extend_i32_u (local.get $same))))))

    (global.set $stack_pointer
      (local.tee $frame (i32.sub (global.get $stack_pointer) (i32.const 416))))
    (call $count_step)

    ;; Page 15, writes: 100 x 8 + 496 x 4 + 104 x 1 = 2888 bytes in 700, over 200 + 124 + 91 = 415 distinct.
    (call $write64 (local.get $frame) (i32.const 200) (i32.const 100))
    (call $write32 (i32.add (local.get $frame) (i32.const 200)) (i32.const 124) (i32.const 496))
    (call $write8 (i32.add (local.get $frame) (i32.const 324)) (i32.const 91) (i32.const 104))
    (call $count_step)

    ;; Page 15, reads: 100 x 8 + 571 x 4 + 264 x 1 = 3348 bytes in 935.
    (call $read64 (local.get $frame) (i32.const 200) (i32.const 100))
    (call $read32 (i32.add (local.get $frame) (i32.const 200)) (i32.const 124) (i32.const 571))
    (call $read8 (i32.add (local.get $frame) (i32.const 324)) (i32.const 91) (i32.const 264))
    (call $count_step)

    ;; The output, written twice. Page 48: 88 + 48 + 6 + 2 = 144 writes of 88 + 48 + 24 + 16 = 176 bytes, and page
    ;; 16 is read as often.
    (call $copy_bytes (i32.const 0) (i32.const 88))
    (call $count_step)
    (call $copy_bytes (i32.const 0) (i32.const 48))
    (call $copy_words)
    (call $count_step)

    ;; Page 48, reads: 88 x 1 + 312 x 4 = 1336 bytes in 400.
    (call $read8 (i32.const 3189504) (i32.const 88) (i32.const 88))
    (call $read32 (i32.const 3189504) (i32.const 88) (i32.const 312))
    (call $count_step)

    ;; Page 80: 4 writes and 23 reads of 4 bytes.
    (call $write32 (i32.const 5242880) (i32.const 16) (i32.const 4))
    (call $read32 (i32.const 5242880) (i32.const 16) (i32.const 23))
    (call $count_step)

    ;; Page 16, what is left of 641 reads and 1825 bytes: 112 of the comparison, 144 of the copies (176 bytes), 7 of
    ;; the counter (28 bytes), so 377 of 4 bytes and one of 1.
    (call $read32 (i32.const 1048748) (i32.const 1508) (i32.const 377))
    (call $read8 (i32.const 1048746) (i32.const 1) (i32.const 1))

    (global.set $stack_pointer (i32.add (local.get $frame) (i32.const 416)))
    (i64.or
      (i64.shl (i64.const 3189504) (i64.const 32))
      (i64.const 88)))

  (data (i32.const 1048576)
    "<h1>Hello</h1>\n"
    "<p>Some <em>text</em> with <a href=\"https://example.com\">a link</a>.</p>\n"
    "# Hello\n\nSome *text* with [a link](https://example.com)."
    "\00\00\00\00"
    "text/markdown" "text/html"
    @repeat(43550, ".")@))
