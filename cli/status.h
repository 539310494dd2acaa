/* Exit statuses of the command line, in one place (docs: the table "exit" of the manual).
 *
 * A command returns one of these from its function; nothing else decides how the process ends. */
#ifndef WM_CLI_STATUS_H
#define WM_CLI_STATUS_H

enum wm_exit {
  WM_EXIT_OK = 0,
  WM_EXIT_REJECTED = 1,     /* the component rejected its input */
  WM_EXIT_DIFFERS = 3,      /* a comparison failed */
  WM_EXIT_TRAP = 4,
  WM_EXIT_BUDGET = 5,       /* instruction budget exhausted */
  WM_EXIT_CONTRACT = 6,     /* the component broke its contract, or stages do not fit */
  WM_EXIT_USAGE = 64,
  WM_EXIT_DATA = 65,        /* module, request, uniform or input is not acceptable */
  WM_EXIT_NO_INPUT = 66,    /* an input cannot be opened */
  WM_EXIT_INTERNAL = 70,    /* a fault of ours, or the host has no memory */
  WM_EXIT_CANNOT_CREATE = 73,
  WM_EXIT_IO = 74,
};

#endif
