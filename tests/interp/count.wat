;; One function for each counting rule: what an instruction is and what a taken branch runs through.
;; The counts stand in test_interp_count.c.
(module
  (memory 1 2)
  (table 4 funcref)
  (global $g (mut i32) (i32.const 7))
  (type $void (func))
  (elem (i32.const 0) func $empty $empty)
  (func $empty (export "empty"))
  (func (export "nops") nop nop nop)
  (func (export "block") block nop end)
  (func (export "nested") block block block end end end)
  (func (export "loop_once") loop nop end)
  (func (export "loop_n") (param i32)
    loop
      local.get 0
      i32.const 1
      i32.sub
      local.tee 0
      br_if 0
    end)
  (func (export "br_block") block br 0 nop nop end)
  (func (export "br_outer") block block br 1 nop end nop end)
  (func (export "br_function") block br 1 nop end nop)
  (func (export "br_if") (param i32) block local.get 0 br_if 0 nop nop end)
  (func (export "br_value") (result i32) block (result i32) i32.const 1 i32.const 5 br 0 end)
  (func (export "if_no_else") (param i32) local.get 0 if nop end)
  (func (export "if_else") (param i32) local.get 0 if nop nop else nop end)
  (func (export "if_empty_arms") (param i32) local.get 0 if else nop end)
  (func (export "br_from_if") (param i32) local.get 0 if br 0 nop else nop br 0 end)
  (func (export "br_table") (param i32) block block block local.get 0 br_table 0 1 2 end nop end nop end)
  (func (export "return") block return nop end nop)
  (func (export "return_value") (result i32) i32.const 1 i32.const 2 return)
  (func (export "call") call $empty call $empty)
  (func (export "call_indirect") i32.const 1 call_indirect (type $void))
  (func (export "call_null") i32.const 3 call_indirect (type $void))
  (func (export "call_outside") i32.const 4 call_indirect (type $void))
  (func (export "unreachable") nop unreachable)
  (func (export "divide") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s)
  (func (export "load") (param i32) (result i32) local.get 0 i32.load)
  (func (export "store") (param i32) local.get 0 i32.const 1 i32.store)
  (func (export "grow") (param i32) (result i32) local.get 0 memory.grow)
  (func (export "fill") (param i32 i32) local.get 0 i32.const 1 local.get 1 memory.fill)
  (func (export "select") (param i32) (result i32) i32.const 1 i32.const 2 local.get 0 select)
  (func (export "globals") (result i32) global.get 0 i32.const 1 i32.add global.set 0 global.get 0)
  (func $fib (export "fib") (param i32) (result i32)
    local.get 0 i32.const 2 i32.lt_u
    if (result i32) local.get 0
    else local.get 0 i32.const 1 i32.sub call $fib local.get 0 i32.const 2 i32.sub call $fib i32.add
    end)
  (func $forever (export "forever") loop br 0 end)
  (func $deep (export "deep") call $deep)
  (func (export "drop") i32.const 1 drop)
)
