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
  ;; vectors: locals that change while they are operands, constants, lanes, shuffles, moves across branches and calls, every kind of access
  (global $v (mut v128) (v128.const i32x4 1 2 3 4))
  (func $swap (param v128 v128) (result v128 v128) local.get 1 local.get 0 i32x4.neg)
  (func $choose (param $a v128) (param $b v128) (param $i i32) (result v128)
    block (result v128)
      local.get $a
      local.get $i i32.const 1 i32.and br_if 0
      drop
      local.get $b
      local.get $i i32.const 2 i32.and br_if 0
      v128.const i64x2 0x123456789 -7
      i64x2.add
      local.get $i i32.const 4 i32.and br_if 0
      i32.const 3 drop
      drop
      local.get $a local.get $b local.get $i select
    end)
  (func $vectors (param $i i32) (result i32)
    (local $x v128) (local $y v128) (local $at i32) (local $z v128)
    local.get $i i32x4.splat v128.const i32x4 0x9e3779b9 0x7f4a7c15 -5 11 i32x4.mul local.tee $x
    local.get $x i32.const 3 i32x4.shr_u v128.xor local.set $y
    local.get $y ;; an alias of a local that changes
    local.get $y local.get $i i32x4.shl local.set $y
    local.get $y i8x16.add_sat_s local.set $z
    local.get $x v128.const i32x4 7 7 7 7 drop
    local.get $y i8x16.shuffle 4 5 6 7 16 17 18 19 0 1 2 3 28 29 30 31
    local.get $z local.get $x i8x16.shuffle 1 3 5 7 9 11 13 31 29 27 25 23 21 19 17 15 local.tee $x
    i16x8.add local.set $z
    local.get $z i8x16.extract_lane_s 3 local.get $z i16x8.extract_lane_u 5 i32.xor
    local.get $z i8x16.bitmask i32.add
    local.get $z local.get $x i8x16.eq v128.any_true i32.add
    local.get $z i32x4.all_true i32.add
    local.get $z f32x4.extract_lane 2 i32.reinterpret_f32 i32.xor
    local.get $z i64x2.extract_lane 1 i32.wrap_i64 i32.xor
    local.set $at
    ;; accesses: whole, splat, extended, zeroed, lanes, at computed places
    local.get $at i32.const 1023 i32.and local.tee $at local.get $z v128.store offset=4096
    local.get $at i32.const 8 i32.add v128.load offset=4092 align=1
    local.get $at v128.load8_splat offset=4097 i8x16.sub
    local.get $at v128.load16_splat offset=4098 i16x8.mul
    local.get $at v128.load32_splat offset=4099 v128.or
    local.get $at v128.load64_splat offset=4100 v128.xor
    local.get $at v128.load8x8_s offset=4096 i16x8.add
    local.get $at v128.load16x4_u offset=4096 i32x4.add
    local.get $at v128.load32x2_s offset=4096 i64x2.add
    local.get $at v128.load32_zero offset=4096 v128.xor
    local.get $at i32.const 1 i32.add v128.load64_zero offset=4096 v128.xor
    local.set $x
    local.get $at local.get $x v128.load8_lane offset=4096 7 local.set $x
    local.get $at i32.const 1 i32.shl local.get $x v128.load16_lane offset=4096 6 local.set $x
    local.get $at v128.const i32x4 9 8 7 6 v128.load32_lane offset=4096 2 local.get $x i32x4.sub local.set $x
    local.get $at local.get $x v128.load64_lane offset=4096 1 local.tee $x v128.not local.set $y
    local.get $at local.get $x v128.store8_lane offset=5200 9
    local.get $at i32.const 3 i32.add local.get $x local.get $y v128.and v128.store16_lane offset=5200 1
    local.get $at local.get $y v128.store32_lane offset=5208 3
    local.get $at local.get $y v128.store64_lane offset=5213 1
    local.get $x i32.const 77 i8x16.replace_lane 4 local.get $i f32.convert_i32_u f32x4.replace_lane 1
    local.get $i i64.extend_i32_u i64x2.replace_lane 0 local.set $x
    ;; floats, three operands, globals, calls, branches that take vectors along
    local.get $x f32x4.convert_i32x4_s v128.const f32x4 0.5 -3 nan 1e30 f32x4.mul
    local.get $y f32x4.min local.get $x f32x4.max local.get $x local.get $y v128.bitselect
    global.get $v i32x4.add global.set $v
    local.get $x local.get $y call $swap local.set $y local.set $x
    local.get $x global.get $v local.get $i call $choose
    local.get $y global.get $v local.get $x local.get $i i32.const 5 i32.and select i32x4.sub v128.xor
    local.tee $z global.set $v
    local.get $z i32x4.extract_lane 0 local.get $z i32x4.extract_lane 3 i32.xor)
  ;; what becomes one entry: sums as addresses, of locals that change too; counted loops; loads with operations, tests and tables; moves
  (global $at (mut i32) (i32.const 4105))
  (func $fused (param $i i32) (result i32)
    (local $p i32) (local $q i32) (local $n i32) (local $h i32) (local $f f64) (local $y i32)
    local.get $i i32.const 63 i32.and local.set $p
    local.get $i i32.const 7 i32.mul i32.const 31 i32.and local.set $q
    local.get $p i32.const 8 i32.add local.get $p i32.const 12 i32.add i32.load offset=4096 i32.store offset=4100
    local.get $p local.get $q i32.add i32.load8_u offset=4096 local.set $h
    local.get $h local.get $i i32.const 255 i32.and i32.const 2 i32.shl i32.const 16 i32.add i32.load offset=4096 i32.xor local.set $h
    local.get $h local.get $i i32.xor i32.const 255 i32.and i32.const 2 i32.shl i32.const 16 i32.add i32.load offset=4096 local.get $h i32.add local.set $h
    local.get $q i32.const -64 i32.or i32.const 64 i32.add i32.load16_u offset=4097 local.get $q i32.const 1 i32.shl i32.load16_u offset=4096 i32.mul
    local.get $h i32.add local.set $h
    local.get $p i32.const 4 i32.add local.get $q local.tee $p i32.const 3 i32.and i32.store8 offset=4096
    local.get $p local.get $q i32.add i32.const 2 i32.add local.get $p i32.const 1 i32.add local.set $p local.get $p i32.store16 offset=4096
    local.get $p i32.const 3 i32.add global.get $sum i32.const 5 i32.add i32.add i32.const 255 i32.and i32.load8_s offset=4096 local.get $h i32.add local.set $h
    i32.const 5 local.set $n
    loop $down
      local.get $h local.get $p i32.load8_u offset=4096 i32.add local.set $h
      local.get $p i32.const 1 i32.add local.set $p
      local.get $n i32.const -1 i32.add local.tee $n br_if $down
    end
    loop $up
      local.get $p i32.load8_u offset=4096 local.get $h i32.xor local.set $h
      local.get $n i32.const 1 i32.add local.tee $n i32.const 4 i32.lt_u br_if $up
    end
    loop $to
      local.get $q local.get $n i32.const 9 i32.add local.tee $n i32.gt_s br_if $to
    end
    i32.const 0 local.set $n
    block $out
      loop $while
        local.get $n local.get $q i32.ge_u br_if $out
        local.get $h local.get $n i32.add local.set $h
        local.get $n i32.const 11 i32.add local.set $n
        br $while
      end
    end
    block $zero
      loop $until
        local.get $n i32.eqz br_if $zero
        block $next
          local.get $n i32.const 1 i32.and br_if $next
          local.get $h i32.const 3 i32.rotl local.set $h
        end
        local.get $n i32.const 1 i32.shr_u local.set $n
        br $until
      end
    end
    block $same
      loop $wide
        local.get $y i64.extend_i32_u i64.const 3 i64.gt_u br_if $same
        local.get $y i32.const 1 i32.sub i32.const 2 i32.add local.set $y
        br $wide
      end
    end
    local.get $p local.get $q i32.add local.get $h i32.store8 offset=4200
    ;; a loop right behind the test of another
    i32.const 0 local.set $n
    block $outer
      loop $tested
        local.get $n i32.const 23 i32.ge_u br_if $outer
        loop $behind
          local.get $h local.get $n i32.add local.set $h
          local.get $n i32.const 3 i32.add local.tee $n i32.const 4 i32.and br_if $behind
        end
        br $tested
      end
    end
    block $found
      local.get $p i32.load8_u offset=4096 i32.const 7 i32.eq br_if $found
      local.get $p local.get $q i32.add i32.load8_u offset=4096 br_if $found
      local.get $p local.get $q i32.xor i32.load8_u offset=4096 i32.eqz if local.get $h i32.const 1 i32.add local.set $h end
      local.get $p i32.const 2 i32.add i32.load8_u offset=4096 i32.const 200 i32.ne if local.get $h i32.const 5 i32.xor local.set $h end
    end
    block block block
      local.get $p i32.load8_u offset=4096 i32.const 2 i32.sub br_table 0 1 2
      end local.get $h i32.const 9 i32.add local.set $h
      end local.get $i i32.const -3 i32.add br_table 0 0 0
    end
    local.get $p i32.const 120 i32.and f64.load offset=4096 f64.const 2 f64.add local.tee $f
    local.get $p i32.const 120 i32.and f64.load offset=4104 local.get $f f64.mul
    local.get $p i32.const 120 i32.and f64.load offset=4112 local.get $f f64.add f64.max f64.add local.set $f
    local.get $p i32.const 248 i32.and local.get $f f64.store offset=4096
    ;; more values that wait than can be remembered, and the last one is moved into the local that they equal
    local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h
    local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h
    local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h
    local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h local.get $h
    global.get $at i32.load8_u
    local.set $h
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add i32.add
    local.get $h i32.add
    local.get $p local.get $q local.set $p local.set $q
    local.get $q i32.add local.get $p i32.xor)
  (func (export "work") (param $n i32) (result i32)
    (local $i i32) (local $sum i32)
    loop $again
      local.get $sum i32.const 5 i32.rotl local.get $i call $mix i32.xor local.get $i call $vectors i32.add
      local.get $i call $fused i32.xor local.set $sum
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
  (func (export "trap_vector_load") (param i32) (result i32)
    (local v128)
    local.get 0 i32.const 3 i32.mul local.get 0 i32.const 65521 i32.add v128.load offset=7 local.tee 1 v128.any_true i32.add)
  (func (export "trap_lane_load") (param i32) (result i32)
    i32.const 5 local.get 0 i32.const 65535 i32.mul v128.const i32x4 1 2 3 4 v128.load16_lane 3 i32x4.extract_lane 1 i32.add)
  (func (export "trap_lane_store") (param i32) (result i32)
    (local v128)
    local.get 0 i32x4.splat local.set 1
    local.get 0 i32.const -4 i32.add local.get 1 v128.store32_lane offset=1 2 i32.const 1)
  (func (export "trap_vector_store") (param i32) (result i32)
    local.get 0 i32.const 16 i32.shl i32.const 15 i32.sub local.get 0 i32x4.splat i32.const 2 i32x4.shl v128.store i32.const 1)
  (func (export "trap_sum") (param i32) (result i32)
    (local i32)
    i32.const 100000 local.set 1
    local.get 1 local.get 0 i32.add i32.const 65536 i32.sub i32.const 200000 i32.add local.get 0 local.get 1 i32.add i32.load8_u i32.store offset=8 i32.const 1)
  (func (export "trap_scaled") (param i32) (result i32)
    local.get 0 local.get 0 i32.const 3 i32.add i32.const 65535 i32.and i32.const 15 i32.shl i32.const 8 i32.add i32.load i32.xor)
  (func (export "trap_wrapped") (param i32) (result i32)
    local.get 0 i32.const -8 i32.add i32.load offset=4 local.get 0 i32.add)
  (func (export "trap_test") (param i32) (result i32)
    i32.const 1
    block local.get 0 i32.const 131072 i32.add i32.load8_u i32.const 9 i32.eq br_if 0 end
    local.get 0 i32.add)
  (func (export "trap_table") (param i32) (result i32)
    block block local.get 0 i32.const 131072 i32.mul i32.load8_u i32.const 9 i32.sub br_table 0 1 end end
    local.get 0 i32.const 131072 i32.mul f64.load local.get 0 f64.convert_i32_s f64.mul i32.trunc_sat_f64_s)
  (func (export "trap_callee") (param i32) (result i32) local.get 0 call $half i32.const 0 i32.div_u)
)
