;; Limits, refusals of the host, and frames to look at. test_interp_limits.c.
(module
  (memory 1)
  (table 1 funcref)
  (func (export "grow") (param i32) (result i32) local.get 0 memory.grow)
  (func (export "table_grow") (param i32) (result i32) ref.null func local.get 0 table.grow 0)
  (func (export "fill") (param i32) i32.const 0 i32.const 1 local.get 0 memory.fill)
  (func (export "copy") (param i32) i32.const 0 i32.const 8 local.get 0 memory.copy)
  (func (export "table_fill") (param i32) i32.const 0 ref.null func local.get 0 table.fill 0)
  ;; 3 locals and 3 operand slots: a frame begins one slot above the caller's operand stack's bottom
  (func $down (export "down") (param i32) (result i32) (local i64 f64)
    local.get 0
    i32.eqz
    if (result i32)
      i32.const 0
    else
      i32.const 1
      local.get 0
      i32.const 1
      i32.sub
      call $down
      i32.add
    end)
  (func $leaf (param i32 v128) (result i32) (local f64)
    local.get 0
    i32.const 5
    i32.mul)
  (func (export "look") (param i32) (result i32) (local i64)
    i64.const 7
    local.set 1
    i64.const 70
    local.get 0
    v128.const i64x2 3 4
    call $leaf
    i32.const 1
    i32.add
    local.set 0
    drop
    local.get 0)
)
