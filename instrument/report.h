/* One table, three forms: CSV (exact bytes, for tools), JSON, and an aligned table for people.
 *
 * A sink describes its columns once and writes its rows in one function; the function is called twice for the aligned
 * form (the first pass measures), so it must give the same rows both times. Notes are facts beside the rows: members of the JSON
 * object, lines under the aligned table, and nothing in CSV. Nothing is allocated. */
#ifndef WM_INSTRUMENT_REPORT_H
#define WM_INSTRUMENT_REPORT_H

#include "instrument/text.h"

enum wm_format { WM_FORMAT_CSV, WM_FORMAT_JSON, WM_FORMAT_TABLE, WM_FORMATS };
/* "csv", "json", "table", NULL: for wm_option_choice. */
extern const char *const wm_format_names[];

/* What a column holds decides how the aligned form shows it (and that all but text stand to the right). */
enum wm_column_kind {
  WM_COLUMN_TEXT,
  WM_COLUMN_COUNT,    /* 1,234 */
  WM_COLUMN_NUMBER,   /* 1234: an index, an address */
  WM_COLUMN_BYTES,    /* 1.2 KiB */
  WM_COLUMN_RATIO,    /* hundredths, in every form: 6.96 */
  WM_COLUMN_NS,       /* 1.20 ms */
};
struct wm_column { const char *name; uint8_t kind; };

#define WM_REPORT_COLUMNS 16
struct wm_report {
  struct wm_print print;
  const struct wm_column *columns;
  uint32_t column_count;
  uint32_t column; /* the next cell's */
  uint64_t rows;
  uint8_t format;
  bool is_measuring, has_notes;
  size_t widths[WM_REPORT_COLUMNS];
  char buffer[1024];
};

/* Begins: in JSON the object with "report": name and "complete". column_count <= WM_REPORT_COLUMNS. */
void wm_report_open(struct wm_report *report, enum wm_format format, const char *name, const struct wm_outcome *outcome,
                    const struct wm_column *columns, uint32_t column_count, struct wm_writer *writer);
/* Header and rows. `write` gives cells in column order, row after row: the last cell of a row ends it. */
void wm_report_rows(struct wm_report *report, void (*write)(struct wm_report *report, void *user), void *user);
void wm_report_text(struct wm_report *report, struct wm_text text);
void wm_report_u64(struct wm_report *report, uint64_t value);
/* An empty cell: null in JSON. */
void wm_report_none(struct wm_report *report);

/* After the rows. */
void wm_report_note_u64(struct wm_report *report, const char *key, uint64_t value);
/* In JSON the key ends with _ns. */
void wm_report_note_ns(struct wm_report *report, const char *key, uint64_t ns);
void wm_report_note_text(struct wm_report *report, const char *key, struct wm_text value);
/* Ends and flushes. */
void wm_report_close(struct wm_report *report);

#endif
