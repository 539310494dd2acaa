;; A generator whose output is written by stores that cross pages and blocks, by fill, copy and init, and by calls within loops.
(module
  (memory (export "memory") 3 3)
  (data $text "passive bytes of a segment")
  (global $count (mut i32) (i32.const 0))
  (func (export "output_bytes_cap") (result i32) i32.const 65536)
  (func $poke (param $at i32) (param $value i64)
    local.get $at
    local.get $value
    i64.store align=1
    global.get $count
    i32.const 1
    i32.add
    global.set $count)
  (func $down (export "down") (param $n i32) (result i32)
    local.get $n
    i32.eqz
    if (result i32)
      i32.const 65530
      i64.const 0x1122334455667788
      call $poke
      i32.const 1
    else
      local.get $n
      i32.const 1
      i32.sub
      call $down
      i32.const 1
      i32.add
    end)
  (func (export "render") (param $size i32) (result i64)
    ;; the output is [65520, 65600)
    i32.const 65516   ;; over its beginning
    i64.const -1
    call $poke
    i32.const 65598   ;; over its end
    i64.const 0x0102030405060708
    call $poke
    i32.const 5
    call $down
    drop
    i32.const 65550
    i32.const 0x5a
    i32.const 20
    memory.fill
    i32.const 65540
    i32.const 0
    i32.const 12
    memory.init $text
    i32.const 65580   ;; within it: reads and writes the output
    i32.const 65536
    i32.const 16
    memory.copy
    i32.const 131072  ;; reads it only
    i32.const 65536
    i32.const 16
    memory.copy
    i32.const 131000  ;; touches nothing of it
    i64.const 3
    call $poke
    i64.const 0x0000fff000000050)
)
