;; Functions whose events test_interp_events.c lists one by one. Offsets of sites are looked up by function only.
(module
  (import "host" "note" (func $note (param i32) (result i32)))
  (memory 2 4)
  (table 2 funcref)
  (type $unary (func (param i32) (result i32)))
  (global $stack (mut i32) (i32.const 4096))
  (global $other (mut i32) (i32.const 0))
  (data $hello "hello, world")
  (elem (i32.const 0) func $same $note)
  (func $same (param i32) (result i32) local.get 0)
  (func (export "loads") (param i32)
    local.get 0 i32.load8_u drop
    local.get 0 i32.load16_s offset=1 drop
    local.get 0 i32.load offset=65534 drop
    local.get 0 i64.load32_u drop
    local.get 0 i64.load drop
    local.get 0 f32.load offset=4 drop
    local.get 0 f64.load drop)
  (func (export "stores") (param i32)
    local.get 0 i32.const 0x1ff i32.store8
    local.get 0 i32.const -2 i32.store16 offset=65535
    local.get 0 i32.const 0x01020304 i32.store
    local.get 0 i64.const -1 i64.store
    local.get 0 i64.const 0x1122334455667788 i64.store32
    local.get 0 f32.const 1 f32.store
    local.get 0 f64.const 1 f64.store)
  (func (export "bulk") (param $n i32)
    i32.const 65530 i32.const 7 local.get $n memory.fill
    i32.const 65532 i32.const 65530 local.get $n memory.copy
    i32.const 100 i32.const 2 local.get $n memory.init $hello)
  (func (export "grow")
    i32.const 1 memory.grow drop
    i32.const 9 memory.grow drop
    i32.const 0 memory.grow drop)
  (func (export "calls") (result i32)
    i32.const 1 call $same
    i32.const 0 call_indirect (type $unary)
    call $note
    i32.const 1 call_indirect (type $unary))
  (func (export "branches") (param i32)
    block
      loop
        local.get 0 i32.eqz br_if 1
        local.get 0 i32.const 1 i32.sub local.set 0
        br 0
      end
    end
    block local.get 0 br_table 0 0 end
    local.get 0 if nop else nop end
    return)
  (func (export "globals")
    i32.const 4000 global.set $stack
    i32.const 1 global.set $other
    global.get $stack i32.const -16 i32.add global.set $stack)
  (func $tail (export "tail") (param i32) (result i32) local.get 0 return_call $same)
  (func (export "tail_import") (param i32) (result i32) local.get 0 return_call $note)
  (func (export "tail_in_call") (param i32) (result i32) local.get 0 call $tail)
  (func (export "fault_load") i32.const 131069 i64.load drop)
  (func (export "fault_store") i32.const -1 i32.const 5 i32.store16 offset=1)
  (func (export "fault_fill") i32.const 131070 i32.const 0 i32.const 3 memory.fill)
  (func (export "fault_copy") i32.const 0 i32.const 131070 i32.const 3 memory.copy)
  (func (export "divide") i32.const 1 i32.const 0 i32.div_u drop)
)
