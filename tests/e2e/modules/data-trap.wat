;; Its active segment does not fit.
(module
  (memory 1 1)
  (func (export "f"))
  (data (i32.const 65536) "x"))
