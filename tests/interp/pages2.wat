;; Two memories, one addressed by 64 bits, and no global that could be a stack pointer: test_interp_pages.c.
(module
  (memory $near 2)
  (memory $far i64 2 4)
  (global i32 (i32.const 5))
  (func (export "work") (param $n i32) (result i32) (local $i i32) (local $sum i32)
    loop $again
      local.get $i i32.const 65530 i32.add local.get $i i32.store
      local.get $i i64.extend_i32_u i64.const 65531 i64.add local.get $sum i32.store $far
      local.get $i i64.extend_i32_u v128.load $far offset=65522 local.get $i i32.const 65522 i32.add v128.load i8x16.add i32x4.extract_lane 1
      local.get $sum i32.add local.set $sum
      i64.const 65500 i32.const 65500 i32.const 80 memory.copy $far $near
      i32.const 65510 i64.const 65500 i32.const 80 memory.copy $near $far
      i64.const 131000 local.get $i i64.const 72 memory.fill $far
      i64.const 1 memory.grow $far drop
      local.get $i i32.load8_u offset=70000 local.get $sum i32.xor local.set $sum
      local.get $i i32.const 1 i32.add local.tee $i local.get $n i32.lt_u br_if $again
    end
    local.get $sum)
  (func (export "trap_far") (param i32) (result i32)
    i32.const 65535 i32.const 1 i32.store16 i64.const -4 i64.load $far drop i32.const 0)
  (func (export "trap_near") (param i32) (result i32) i64.const 0 i32.load $far drop local.get 0 i32.load)
)
