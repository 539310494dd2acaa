;; A stage that declares another output type than utf8in takes.
(module
  (memory (export "memory") 1 1)
  (func (export "input_ptr") (result i32) i32.const 1024)
  (func (export "input_utf8_cap") (result i32) i32.const 16)
  (func (export "output_utf8_cap") (result i32) i32.const 16)
  (func (export "output_content_type_ptr") (result i32) i32.const 64)
  (func (export "output_content_type_size") (result i32) i32.const 16)
  (func (export "render") (param $size i32) (result i64)
    (i64.or (i64.const 0x40000000000) (i64.extend_i32_u (local.get $size))))
  (data (i32.const 64) "application/json"))
