;; A generator with two uniforms; render traps when their sum is 13.
(module
  (memory (export "memory") 2 2)
  (global $low (mut i32) (i32.const 1))
  (global $high (mut i64) (i64.const 2))
  (func (export "output_utf8_cap") (result i32) i32.const 65536)
  (func $low_set (export "uniform_set_low") (param $value i32) (result i32)
    local.get $value
    global.set $low
    local.get $value)
  (func $high_set (export "uniform_set_high") (param $value i64) (result i64)
    local.get $value
    i64.const 100
    i64.gt_s
    if
      i64.const 100
      local.set $value
    end
    local.get $value
    global.set $high
    local.get $value)
  (func $check (param $sum i64)
    local.get $sum
    i64.const 13
    i64.eq
    if
      unreachable
    end)
  (func $render (export "render") (param $size i32) (result i64)
    (local $sum i64)
    global.get $low
    i64.extend_i32_u
    global.get $high
    i64.add
    local.tee $sum
    call $check
    i32.const 65536
    local.get $sum
    i64.const 10
    i64.rem_u
    i64.const 48
    i64.add
    i64.store8
    i64.const 0x0001000000000001))
