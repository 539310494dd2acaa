;; A generator with vectors in locals and on the stack, tail calls, several results and references in a global and a table.
(module
  (memory (export "memory") 2 2)
  (type $f (func (param i32) (result i32)))
  (table $table 4 4 funcref)
  (global $held (mut funcref) (ref.null func))
  (global $sum (mut v128) (v128.const i32x4 0 0 0 0))
  (func (export "output_bytes_cap") (result i32) i32.const 65536)
  (func $even (type $f)
    local.get 0
    i32.eqz
    if (result i32)
      i32.const 1
    else
      local.get 0
      i32.const 1
      i32.sub
      return_call $odd
    end)
  (func $odd (type $f)
    local.get 0
    i32.eqz
    if (result i32)
      i32.const 0
    else
      local.get 0
      i32.const 1
      i32.sub
      return_call $even
    end)
  (func $pair (param $n i32) (result i32 v128)
    (local $v v128)
    local.get $n
    i32x4.splat
    local.tee $v
    global.get $sum
    i32x4.add
    global.set $sum
    local.get $n
    local.get $v)
  (elem declare func $even)
  (func (export "render") (param $size i32) (result i64)
    (local $i i32) (local $v v128)
    loop $again
      local.get $i
      call $pair
      local.set $v
      drop
      i32.const 1040
      local.get $v
      v128.store
      i32.const 2
      ref.func $even
      table.set $table
      ref.func $even
      global.set $held
      i32.const 1024
      local.get $i
      i32.add
      local.get $i
      i32.const 2
      call_indirect $table (type $f)
      i32.store8
      local.get $i
      i32.const 1
      i32.add
      local.tee $i
      i32.const 14
      i32.lt_u
      br_if $again
    end
    i64.const 0x0000040000000020))
