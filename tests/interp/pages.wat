;; Memory traffic of every shape for test_interp_pages.c: all widths, accesses that cross pages, bulk operations, growth, stack frames by global 0,
;; loops as in the benchmark's kernels, traps. "work" does all of it once.
(module
  (memory (export "memory") 3 6)
  (global $sp (mut i32) (i32.const 131072))
  (global $other (mut i32) (i32.const 0))
  (data $text "a passive segment of forty-four bytes, or so")
  (data (i32.const 1024) "\01\02\03\04\05\06\07\08")
  (type $unary (func (param i32) (result i32)))
  (table funcref (elem $frame $bytes $sum_down))
  ;; every load and store there is, at one address
  (func $widths (param $at i32) (result i32)
    (local $sum i64) (local $v v128)
    local.get $at i32.const 0x01020304 i32.store
    local.get $at i64.const 0x1112131415161718 i64.store offset=4
    local.get $at f32.const 1.5 f32.store offset=12
    local.get $at f64.const -2.25 f64.store offset=16
    local.get $at i32.const 0x81 i32.store8 offset=24
    local.get $at local.get $at i32.store16 offset=25
    local.get $at i64.const 0x92 i64.store8 offset=27
    local.get $at i64.const 0xa3a4 i64.store16 offset=28
    local.get $at local.get $at i64.extend_i32_u i64.store32 offset=30
    local.get $at i32.load i64.extend_i32_u
    local.get $at i64.load offset=1 i64.add
    local.get $at f32.load offset=12 i32.reinterpret_f32 i64.extend_i32_u i64.xor
    local.get $at f64.load offset=16 i64.reinterpret_f64 i64.add
    local.get $at i32.load8_s offset=24 i64.extend_i32_s i64.xor
    local.get $at i32.load8_u offset=25 i64.extend_i32_u i64.add
    local.get $at i32.load16_s offset=26 i64.extend_i32_s i64.xor
    local.get $at i32.load16_u offset=27 i64.extend_i32_u i64.add
    local.get $at i64.load8_s offset=28 i64.xor
    local.get $at i64.load8_u offset=29 i64.add
    local.get $at i64.load16_s offset=30 i64.xor
    local.get $at i64.load16_u offset=31 i64.add
    local.get $at i64.load32_s offset=3 i64.xor
    local.get $at i64.load32_u offset=5 i64.add
    local.set $sum
    local.get $at v128.load offset=2 local.tee $v
    local.get $at v128.load8x8_u offset=3 i16x8.add
    local.get $at v128.load16x4_s offset=5 i32x4.add
    local.get $at v128.load32x2_u offset=7 i64x2.add
    local.get $at v128.load8_splat offset=9 v128.xor
    local.get $at v128.load16_splat offset=10 v128.xor
    local.get $at v128.load32_splat offset=11 v128.xor
    local.get $at v128.load64_splat offset=13 v128.xor
    local.get $at v128.load32_zero offset=17 v128.xor
    local.get $at v128.load64_zero offset=19 v128.xor
    local.set $v
    local.get $at local.get $v v128.load8_lane offset=1 3 local.set $v
    local.get $at local.get $v v128.load64_lane offset=6 1 local.set $v
    local.get $at local.get $v v128.store offset=32
    local.get $at local.get $v v128.store8_lane offset=48 5
    local.get $at local.get $v v128.store16_lane offset=49 2
    local.get $at local.get $v v128.store32_lane offset=51 1
    local.get $at local.get $v v128.store64_lane offset=55 0
    local.get $sum i32.wrap_i64)
  ;; a frame on the stack of global 0, and one below it
  (func $frame (type $unary) (local $fp i32)
    global.get $sp i32.const 32 i32.sub local.tee $fp global.set $sp
    local.get $fp local.get 0 i32.store offset=12
    local.get 0 if
      local.get $fp local.get 0 i32.const 1 i32.sub i32.const 0 call_indirect (type $unary) i32.store offset=16
    end
    local.get $fp i64.load offset=12 i32.wrap_i64
    local.get $fp i32.const 32 i32.add global.set $sp
    global.get $other i32.const 1 i32.add global.set $other)
  ;; bytes one by one, up to a zero
  (func $bytes (type $unary) (local $at i32) (local $hash i32)
    local.get 0 local.set $at
    block $end
      loop $next
        local.get $at i32.load8_u i32.eqz br_if $end
        local.get $hash i32.const 31 i32.mul local.get $at i32.load8_u i32.add local.set $hash
        local.get $at i32.const 1 i32.add local.set $at
        br $next
      end
    end
    local.get $hash)
  (func $sum_down (type $unary) (local $sum i64)
    loop $next
      local.get $sum local.get 0 i64.load offset=4096 i64.add local.set $sum
      local.get 0 i32.const 5 i32.sub local.tee 0 i32.const 0 i32.gt_s br_if $next
    end
    local.get $sum i32.wrap_i64)
  ;; a sieve: a byte each, strided stores
  (func $sieve (param $n i32) (result i32) (local $i i32) (local $k i32) (local $count i32)
    i32.const 2 local.set $i
    loop $outer
      local.get $i i32.load8_u offset=8192 i32.eqz if
        local.get $count i32.const 1 i32.add local.set $count
        local.get $i i32.const 1 i32.shl local.set $k
        block $done
          loop $inner
            local.get $k local.get $n i32.ge_u br_if $done
            local.get $k i32.const 1 i32.store8 offset=8192
            local.get $k local.get $i i32.add local.set $k
            br $inner
          end
        end
      end
      local.get $i i32.const 1 i32.add local.tee $i local.get $n i32.lt_u br_if $outer
    end
    local.get $count)
  ;; n x n floats: three loops, two streams of loads
  (func $matmul (param $n i32) (result i32) (local $i i32) (local $j i32) (local $k i32) (local $sum f64)
    loop $rows
      i32.const 0 local.set $j
      loop $columns
        f64.const 0 local.set $sum
        i32.const 0 local.set $k
        loop $dot
          local.get $sum
          local.get $i local.get $n i32.mul local.get $k i32.add i32.const 3 i32.shl f64.load offset=16384
          local.get $k local.get $n i32.mul local.get $j i32.add i32.const 3 i32.shl f64.load offset=24576
          f64.const 1 f64.add f64.mul f64.add local.set $sum
          local.get $k i32.const 1 i32.add local.tee $k local.get $n i32.lt_u br_if $dot
        end
        local.get $i local.get $n i32.mul local.get $j i32.add i32.const 3 i32.shl local.get $sum f64.store offset=16384
        local.get $j i32.const 1 i32.add local.tee $j local.get $n i32.lt_u br_if $columns
      end
      local.get $i i32.const 1 i32.add local.tee $i local.get $n i32.lt_u br_if $rows
    end
    local.get $n)
  ;; insertion sort of words that lie across the border of pages 0 and 1, not aligned
  (func $sort (param $n i32) (result i32) (local $i i32) (local $k i32) (local $word i32)
    loop $fill
      local.get $i i32.const 2 i32.shl local.get $i i32.const 7919 i32.mul i32.const 127 i32.and i32.store offset=65509
      local.get $i i32.const 1 i32.add local.tee $i local.get $n i32.lt_u br_if $fill
    end
    i32.const 1 local.set $i
    loop $next
      local.get $i i32.const 2 i32.shl i32.load offset=65509 local.set $word
      local.get $i local.set $k
      block $placed
        loop $down
          local.get $k i32.eqz br_if $placed
          local.get $k i32.const 2 i32.shl i32.load offset=65505 local.get $word i32.le_u br_if $placed
          local.get $k i32.const 2 i32.shl
          local.get $k i32.const 2 i32.shl i32.load offset=65505
          i32.store offset=65509
          local.get $k i32.const 1 i32.sub local.set $k
          br $down
        end
      end
      local.get $k i32.const 2 i32.shl local.get $word i32.store offset=65509
      local.get $i i32.const 1 i32.add local.tee $i local.get $n i32.lt_u br_if $next
    end
    i32.const 65509 i32.load)
  ;; pixels: loads, a word's store, vectors
  (func $blend (param $n i32) (result i32) (local $i i32)
    loop $pixels
      local.get $i
      local.get $i i32.load8_u offset=65500
      local.get $i i32.load8_u offset=65501 i32.add
      local.get $i i32.load16_u offset=65502 i32.add
      i32.store offset=98304
      local.get $i local.get $i v128.load offset=65520 i32.const 7 i8x16.splat i8x16.add v128.store offset=131060
      local.get $i i32.const 4 i32.add local.tee $i local.get $n i32.lt_u br_if $pixels
    end
    local.get $n)
  ;; copies (overlapping both ways), fills, segments; across pages; nothing at all
  (func $bulk (param $n i32) (result i32)
    i32.const 131000 i32.const 65500 local.get $n memory.copy
    i32.const 65530 i32.const 65520 local.get $n memory.copy
    i32.const 65500 i32.const 65520 local.get $n memory.copy
    i32.const 131070 local.get $n local.get $n memory.fill
    i32.const 65535 i32.const 1 i32.const 1 memory.fill
    i32.const 131060 i32.const 0 i32.const 44 memory.init $text
    i32.const 1 i32.const 2 i32.const 0 memory.copy
    i32.const 3 i32.const 4 i32.const 0 memory.fill
    i32.const 5 i32.const 0 i32.const 0 memory.init $text
    i32.const 131065 i32.load)
  ;; grows by a page while it can, and by too much; writes the last bytes and over what was the border
  (func $grow (result i32) (local $end i32)
    memory.size i32.const 16 i32.shl local.set $end
    i32.const 1 memory.grow i32.const -1 i32.ne if
      local.get $end i32.const 3 i32.sub local.get $end i64.extend_i32_u i64.store
    end
    memory.size i32.const 16 i32.shl i32.const 8 i32.sub i64.const -1 i64.store
    i32.const 100 memory.grow drop
    local.get $end i32.const 4 i32.sub i32.load)
  (func $work (export "work") (param $n i32) (result i32) (local $i i32) (local $sum i32)
    loop $again
      local.get $sum
      local.get $i i32.const 3001 i32.mul i32.const 0xfff i32.and i32.const 2048 i32.add call $widths i32.xor
      i32.const 65536 local.get $i i32.const 7 i32.mul i32.const 63 i32.and i32.sub call $widths i32.add
      local.get $i call $frame i32.xor
      i32.const 1024 local.get $i i32.const 7 i32.and i32.add i32.const 1 call_indirect (type $unary) i32.add
      i32.const 40 i32.const 2 call_indirect (type $unary) i32.xor
      i32.const 24 call $sieve i32.add
      i32.const 3 call $matmul i32.add
      i32.const 9 call $sort i32.xor
      i32.const 17 call $blend i32.add
      i32.const 70 call $bulk i32.xor
      call $grow i32.add
      local.set $sum
      local.get $i i32.const 1 i32.add local.tee $i local.get $n i32.lt_u br_if $again
    end
    local.get $sum)
  ;; ends that are traps, each behind some traffic
  (func (export "trap_load") (param i32) (result i32) i32.const 0 i32.const 7 i32.store local.get 0 i32.const 1 i32.shl i32.load offset=8)
  (func (export "trap_store") (param i32) (result i32)
    i32.const 65534 i64.load drop local.get 0 i64.const 1 i64.store local.get 0)
  (func (export "trap_last") (param i32) (result i32)
    i32.const 196604 i32.load i32.const 196604 i32.const 1 i32.store i32.const 196605 i32.load i32.add)
  (func (export "trap_fill") (param i32) (result i32) local.get 0 i32.const 1 local.get 0 memory.fill local.get 0)
  (func (export "trap_copy") (param i32) (result i32) i32.const 8 i32.load i32.const 0 local.get 0 local.get 0 memory.copy)
  (func (export "trap_vector") (param i32) (result i32) local.get 0 v128.load drop local.get 0 i32.const 65536 i32.mul v128.load drop i32.const 0)
  (func $deep (export "trap_deep") (param i32) (result i32)
    global.get $sp i32.const 16 i32.sub global.set $sp
    global.get $sp local.get 0 i32.store
    local.get 0 i32.const 1 i32.add call $deep)
  (func (export "trap_divide") (param i32) (result i32) i32.const 65533 local.get 0 i32.store i32.const 1 local.get 0 local.get 0 i32.sub i32.div_u)
)
