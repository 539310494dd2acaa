;; A generator that grows its memory and a table, drops segments, and writes what it has grown: going back must shrink and restore all of it.
(module
  (memory (export "memory") 2 20)
  (table $table 1 100 funcref)
  (type $f (func (result i32)))
  (elem $elem funcref (ref.func $one) (ref.func $two))
  (data $data "to be dropped")
  (func (export "output_bytes_cap") (result i32) i32.const 65536)
  (func $one (type $f) i32.const 1)
  (func $two (type $f) i32.const 2)
  (func (export "render") (param $size i32) (result i64)
    (local $i i32)
    loop $again
      i32.const 2
      memory.grow
      i32.const 65536
      i32.mul
      i32.const 100
      i32.add
      local.get $i
      i32.const 1
      i32.add
      i32.store
      ref.null func
      i32.const 3
      table.grow $table
      drop
      local.get $i
      i32.const 1
      i32.add
      local.tee $i
      i32.const 8
      i32.lt_u
      br_if $again
    end
    i32.const 0
    i32.const 0
    i32.const 2
    table.init $table $elem
    elem.drop $elem
    i32.const 40
    i32.const 0
    i32.const 13
    memory.init $data
    data.drop $data
    i32.const 60
    i32.const 1
    call_indirect $table (type $f)
    i32.const 0
    call_indirect $table (type $f)
    i32.add
    memory.size
    i32.add
    table.size $table
    i32.add
    i32.store
    i64.const 0x0000002800000020))
