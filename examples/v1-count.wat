;; v1-count: lines, words and bytes of a text, as three decimal numbers in one line.
;; Contract V1: run(size) returns the number of output bytes, addresses and capacities are exported
;; globals, and there is no way to reject: an empty input gives an empty output.
;; Words are runs of bytes other than space, tab, line feed, vertical tab, form feed and carriage return.
(module
  (memory (export "memory") 2 2)
  (global (export "input_ptr") i32 (i32.const 65536))
  (global (export "input_utf8_cap") i32 (i32.const 65536))
  (global (export "output_ptr") i32 (i32.const 1024))
  (global (export "output_utf8_cap") i32 (i32.const 64))

  ;; Writes the value's digits so that they end before $end; returns where they begin.
  (func $digits_before (param $end i32) (param $value i32) (result i32)
    (loop $digit
      (local.set $end (i32.sub (local.get $end) (i32.const 1)))
      (i32.store8 (local.get $end)
        (i32.add (i32.rem_u (local.get $value) (i32.const 10)) (i32.const 48)))
      (local.set $value (i32.div_u (local.get $value) (i32.const 10)))
      (br_if $digit (local.get $value)))
    (local.get $end))

  (func $is_space (param $byte i32) (result i32)
    (i32.or
      (i32.eq (local.get $byte) (i32.const 32))
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 9)) (i32.const 5))))

  (func (export "run") (param $size i32) (result i32)
    (local $at i32) (local $end i32) (local $byte i32)
    (local $lines i32) (local $words i32) (local $in_word i32) (local $space i32)
    (if (i32.gt_u (local.get $size) (i32.const 65536)) (then unreachable))
    (if (i32.eqz (local.get $size)) (then (return (i32.const 0))))

    (local.set $at (i32.const 65536))
    (local.set $end (i32.add (local.get $at) (local.get $size)))
    (loop $next
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $lines
        (i32.add (local.get $lines) (i32.eq (local.get $byte) (i32.const 10))))
      (local.set $space (call $is_space (local.get $byte)))
      ;; A word is counted where it begins.
      (local.set $words
        (i32.add
          (local.get $words)
          (i32.and (i32.eqz (local.get $in_word)) (i32.eqz (local.get $space)))))
      (local.set $in_word (i32.eqz (local.get $space)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))

    ;; The line is built backwards from the end of the buffer, then moved to its start.
    (local.set $end (i32.const 1088))
    (i32.store8 (i32.const 1087) (i32.const 10))
    (local.set $at (call $digits_before (i32.const 1087) (local.get $size)))
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.const 32))
    (local.set $at (call $digits_before (local.get $at) (local.get $words)))
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.const 32))
    (local.set $at (call $digits_before (local.get $at) (local.get $lines)))
    (memory.copy
      (i32.const 1024)
      (local.get $at)
      (i32.sub (local.get $end) (local.get $at)))
    (i32.sub (local.get $end) (local.get $at))))
