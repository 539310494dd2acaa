/* How a loop gets from one instruction to the next: the one place where the two forms differ.
 *
 * WM_DISPATCH_SWITCH: a plain switch, complete and portable, the form that wasm32 uses. WM_DISPATCH_GOTO: the same handler bodies
 * behind labels as values, each with an indirect jump of its own. Neither defined: the latter where the compiler has it.
 * A loop writes WM_DISPATCH_OPEN(op expression) … handlers as WM_CASE(NAME) { … } … WM_DISPATCH_CLOSE, goes on with
 * WM_DISPATCH(op expression), and gives the label table as WM_LABELS(list of WM_LABEL(NAME)). */
#ifndef WM_INTERP_DISPATCH_H
#define WM_INTERP_DISPATCH_H

#if !defined(WM_DISPATCH_SWITCH) && !defined(WM_DISPATCH_GOTO)
#if defined(__GNUC__) && !defined(__wasm__)
#define WM_DISPATCH_GOTO 1
#else
#define WM_DISPATCH_SWITCH 1
#endif
#endif

#if defined(WM_DISPATCH_GOTO)
#define WM_LABEL(NAME) [WM_OP_##NAME] = &&do_##NAME,
#define WM_CASE(NAME) do_##NAME:
#define WM_DISPATCH_OPEN(op) goto *labels[op];
#define WM_DISPATCH(op) goto *labels[op]
#define WM_DISPATCH_CLOSE
#else
#define WM_CASE(NAME) case WM_OP_##NAME:
#define WM_DISPATCH_OPEN(op) dispatch: __attribute__((unused)); switch (op) {
#define WM_DISPATCH(op) goto dispatch
#define WM_DISPATCH_CLOSE default: __builtin_unreachable(); }
#endif

#endif
