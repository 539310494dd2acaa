;; Ends by an uncaught trap deep in named functions, for messages.
(module
  (func $inner (unreachable))
  (func $outer (call $inner))
  (func (export "go") (call $outer)))
