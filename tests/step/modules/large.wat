;; A generator that runs over a hundred million instructions and writes all over 48 of its 50 MiB: for going back a long way.
(module
  (memory (export "memory") 800 800)
  (global $last (mut i32) (i32.const 0))
  (func (export "output_bytes_cap") (result i32) i32.const 65536)
  (func $mark (param $at i32) (param $value i32)
    local.get $at
    local.get $value
    i32.store
    local.get $at
    global.set $last)
  (func (export "render") (param $size i32) (result i64)
    (local $i i32) (local $at i32)
    loop $rounds
      ;; a multiplicative walk: each round marks another place
      local.get $i
      i32.const 0x9e3779b1
      i32.mul
      i32.const 4
      i32.shr_u
      i32.const 48
      i32.const 20
      i32.shl
      i32.rem_u
      i32.const 1048576
      i32.add
      local.get $i
      call $mark
      local.get $i
      i32.const 1
      i32.add
      local.tee $i
      i32.const 4600000
      i32.lt_u
      br_if $rounds
    end
    i32.const 0
    global.get $last
    i32.store
    i64.const 4))
