;; Two memories and two tables, which share what the limits give to all of them. test_interp_limits.c.
(module
  (memory $a 2) (memory $b i64 1 100)
  (table $s 10 funcref) (table $t 5 50 externref)
  (func (export "grow_a") (param i32) (result i32) local.get 0 memory.grow $a)
  (func (export "grow_b") (param i32) (result i32) local.get 0 i64.extend_i32_u memory.grow $b i32.wrap_i64)
  (func (export "grow_s") (param i32) (result i32) ref.null func local.get 0 table.grow $s)
  (func (export "grow_t") (param i32) (result i32) ref.null extern local.get 0 table.grow $t)
)
