;; Bodies of every shape that the fast stream knows, and some that it leaves to the step stream: test_interp_fast.c cuts their runs anywhere.
(module
  (memory (export "memory") 1 3)
  (table 4 funcref)
  (global $sum (mut i32) (i32.const 1))
  (global $wide (mut i64) (i64.const 1))
  (type $unary (func (param i32) (result i32)))
  (elem (i32.const 0) $double $triple $fact $half)
  (func $double (type $unary) local.get 0 i32.const 1 i32.shl)
  (func $triple (type $unary) (local i32) local.get 0 i32.const 3 i32.mul local.tee 1 local.get 1 i32.or)
  (func $fact (type $unary)
    local.get 0 i32.const 2 i32.lt_s if (result i32) i32.const 1
    else local.get 0 local.get 0 i32.const 1 i32.sub call $fact i32.mul end)
  (func $half (type $unary) local.get 0 i32.const 2 i32.div_u return)
  (func $pair (param i32) (result i32 i64) local.get 0 i32.const 5 i32.add local.get 0 i64.extend_i32_u i64.const 3 i64.rotl)
  (func $even (param i32) (result i32) local.get 0 i32.eqz if i32.const 1 return end local.get 0 i32.const 1 i32.sub return_call $odd_)
  (func $odd_ (param i32) (result i32) local.get 0 i32.eqz if i32.const 0 return end local.get 0 i32.const 1 i32.sub return_call $even)
  (func $mix (param $i i32) (result i32)
    (local $x i32) (local $y i64) (local $f f64) (local $g f32)
    ;; aliases of a local that changes, constants that wait, values below a branch
    local.get $i
    local.get $i i32.const 7 i32.mul local.set $i
    local.get $i i32.add local.tee $x
    local.get $x i32.const 13 i32.rem_u
    i32.const 1000
    local.get $x i32.const 1 i32.and
    select
    i32.xor
    block (result i32)
      i32.const 11
      local.get $x i32.const 5 i32.and br_if 0
      local.get $x i32.const 2 i32.shr_u
      br_if 0
      drop
      i32.const 17
    end
    i32.add
    local.set $x
    ;; a load and stores at computed places
    local.get $x i32.const 1023 i32.and i32.const 2 i32.shl local.get $x i32.store offset=64
    local.get $x i32.const 1023 i32.and i32.const 2 i32.shl i32.load8_u offset=65
    local.get $x i32.add local.set $x
    local.get $x i64.extend_i32_u i64.const 0x123456789 i64.mul local.tee $y
    global.get $wide i64.xor global.set $wide
    i32.const 8 local.get $y i64.store
    local.get $x f64.convert_i32_s f64.const 1.5 f64.mul local.tee $f
    f64.const 3 f64.div local.get $f f64.sub local.set $f
    local.get $f f32.demote_f64 local.tee $g f32.const 0 f32.lt
    if local.get $x i32.const 1 i32.add local.set $x
    else i32.const 16 local.get $f f64.store i32.const 24 local.get $g f32.store end
    ;; tables, calls through them, several results
    block
      block
        block
          local.get $i i32.const 3 i32.and br_table 0 1 2 1
        end
        local.get $x call $double local.set $x
      end
      local.get $x i32.const 7 i32.and local.get $i i32.const 3 i32.and call_indirect (type $unary) local.get $x i32.xor local.set $x
    end
    local.get $x call $pair i64.const 7 i64.and i32.wrap_i64 i32.add local.set $x
    ;; what the step stream runs
    local.get $i i32.const 3 i32.and local.get $i i32.const 1 i32.add i32.const 3 i32.and table.get 0 table.set 0
    i32.const 2048 i32.const 64 i32.const 100 memory.copy
    local.get $i i32.const 15 i32.and call $even local.get $x i32.add
    global.get $sum i32.add global.set $sum
    local.get $x
    local.get $i i32.const 31 i32.and i32.eqz
    if i32.const 1 memory.grow drop end
    memory.size i32.add)
  (func (export "work") (param $n i32) (result i32)
    (local $i i32) (local $sum i32)
    loop $again
      local.get $sum i32.const 5 i32.rotl local.get $i call $mix i32.xor local.set $sum
      local.get $i i32.const 1 i32.add local.tee $i
      local.get $n i32.lt_u br_if $again
    end
    local.get $sum global.get $sum i32.add)
  ;; traps in the middle of straight code
  (func (export "trap_load") (param i32) (result i32)
    local.get 0 i32.const 3 i32.mul local.get 0 i32.const 16 i32.shl i32.load i32.add local.get 0 i32.const 1 i32.add i32.add)
  (func (export "trap_divide") (param i32) (result i32)
    i32.const 1 local.get 0 i32.const 9 i32.sub i32.const 100 local.get 0 i32.const 7 i32.sub i32.div_s i32.add i32.add)
  (func $deep (export "trap_deep") (param i32) (result i32) local.get 0 i32.const 1 i32.add call $deep i32.const 1 i32.add)
  (func (export "trap_callee") (param i32) (result i32) local.get 0 call $half i32.const 0 i32.div_u)
)
