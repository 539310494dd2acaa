/* One table in three forms (report.h). */
#include "instrument/report.h"

const char *const wm_format_names[] = {"csv", "json", "table", NULL};

void wm_report_open(struct wm_report *report, enum wm_format format, const char *name, const struct wm_outcome *outcome,
                    const struct wm_column *columns, uint32_t column_count, struct wm_writer *writer)
{
  /* Not one compound literal: the buffer need not be cleared. */
  wm_print_open(&report->print, report->buffer, sizeof report->buffer, writer);
  report->columns = columns;
  report->column_count = column_count;
  report->column = 0;
  report->rows = 0;
  report->format = (uint8_t)format;
  report->is_measuring = report->has_notes = false;
  for (uint32_t i = 0; i < column_count; i++)
    report->widths[i] = 0;
  if (format == WM_FORMAT_JSON) {
    wm_print_string(&report->print, "{\"report\":");
    wm_print_json(&report->print, wm_text_of(name));
    wm_print_string(&report->print, outcome->is_complete ? ",\"complete\":true" : ",\"complete\":false");
  }
}

/* One cell of the aligned form: measured in the first pass, padded in the second. Two spaces between columns, none at a line's end. */
static void aligned_cell(struct wm_report *report, const char *bytes, size_t length, bool is_left)
{
  uint32_t column = report->column;
  size_t width = wm_text_columns(bytes, length);
  if (report->is_measuring) {
    if (report->widths[column] < width)
      report->widths[column] = width;
  } else {
    size_t space = report->widths[column] - width;
    if (column > 0)
      wm_print_string(&report->print, "  ");
    wm_print_repeat(&report->print, ' ', is_left ? 0 : space);
    wm_print_bytes(&report->print, bytes, length);
    wm_print_repeat(&report->print, ' ', is_left && column + 1 < report->column_count ? space : 0);
  }
}

/* What comes before a cell, in every form; and after the last. */
static void cell_begins(struct wm_report *report)
{
  struct wm_print *print = &report->print;
  if (report->format == WM_FORMAT_CSV && report->column > 0)
    wm_print_char(print, ',');
  if (report->format == WM_FORMAT_JSON) {
    wm_print_string(print, report->column > 0 ? "," : report->rows > 0 ? ",\n{" : "\n{");
    wm_print_json(print, wm_text_of(report->columns[report->column].name));
    wm_print_char(print, ':');
  }
}

static void cell_ends(struct wm_report *report)
{
  if (++report->column < report->column_count)
    return;
  report->column = 0;
  report->rows++;
  if (report->format == WM_FORMAT_JSON)
    wm_print_char(&report->print, '}');
  else if (!report->is_measuring)
    wm_print_char(&report->print, '\n');
}

/* A value in the form for people. */
static void print_human(struct wm_print *print, uint8_t kind, uint64_t value)
{
  switch (kind) {
  case WM_COLUMN_BYTES:
    wm_print_size(print, value);
    break;
  case WM_COLUMN_NS:
    wm_print_duration(print, value);
    break;
  case WM_COLUMN_RATIO:
    wm_print_scaled(print, value, 2);
    break;
  case WM_COLUMN_COUNT:
    wm_print_grouped(print, value);
    break;
  default:
    wm_print_u64(print, value);
  }
}

void wm_report_u64(struct wm_report *report, uint64_t value)
{
  uint8_t kind = report->columns[report->column].kind;
  cell_begins(report);
  if (report->format == WM_FORMAT_TABLE) {
    char bytes[48];
    struct wm_print cell;
    wm_print_open(&cell, bytes, sizeof bytes, NULL);
    print_human(&cell, kind, value);
    aligned_cell(report, bytes, cell.length, false);
  } else if (kind == WM_COLUMN_RATIO) {
    wm_print_scaled(&report->print, value, 2);
  } else {
    wm_print_u64(&report->print, value);
  }
  cell_ends(report);
}

void wm_report_text(struct wm_report *report, struct wm_text text)
{
  cell_begins(report);
  if (report->format == WM_FORMAT_CSV) {
    wm_print_csv(&report->print, text);
  } else if (report->format == WM_FORMAT_JSON) {
    wm_print_json(&report->print, text);
  } else {
    char bytes[160]; /* longer names are cut in the aligned form, at a whole character */
    struct wm_print cell;
    wm_print_open(&cell, bytes, sizeof bytes, NULL);
    wm_print_visible(&cell, text);
    if (cell.is_cut) {
      cell.length = sizeof bytes - 4;
      while (((unsigned char)bytes[cell.length] & 0xc0) == 0x80)
        cell.length--;
      wm_print_string(&cell, "...");
    }
    aligned_cell(report, bytes, cell.length, true);
  }
  cell_ends(report);
}

void wm_report_none(struct wm_report *report)
{
  cell_begins(report);
  if (report->format == WM_FORMAT_JSON)
    wm_print_string(&report->print, "null");
  else if (report->format == WM_FORMAT_TABLE)
    aligned_cell(report, "-", 1, report->columns[report->column].kind == WM_COLUMN_TEXT);
  cell_ends(report);
}

static void header(struct wm_report *report)
{
  for (uint32_t i = 0; i < report->column_count; i++) {
    struct wm_text name = wm_text_of(report->columns[i].name);
    if (report->format == WM_FORMAT_CSV) {
      wm_print_string(&report->print, i > 0 ? "," : "");
      wm_print_text(&report->print, name);
    } else {
      report->column = i;
      aligned_cell(report, name.bytes, name.length, report->columns[i].kind == WM_COLUMN_TEXT);
    }
  }
  report->column = 0;
  if (!report->is_measuring)
    wm_print_char(&report->print, '\n');
}

void wm_report_rows(struct wm_report *report, void (*write)(struct wm_report *report, void *user), void *user)
{
  if (report->format == WM_FORMAT_JSON) {
    wm_print_string(&report->print, ",\"rows\":[");
    write(report, user);
    wm_print_char(&report->print, ']');
    return;
  }
  if (report->format == WM_FORMAT_TABLE) {
    report->is_measuring = true;
    header(report);
    write(report, user);
    report->is_measuring = false;
  }
  header(report);
  write(report, user);
}

/* Keys of notes: snake_case in JSON, words in the aligned form. */
static void note_key(struct wm_report *report, const char *key, const char *json_suffix)
{
  if (report->format == WM_FORMAT_JSON) {
    wm_print_string(&report->print, ",\"");
    wm_print_string(&report->print, key);
    wm_print_string(&report->print, json_suffix);
    wm_print_string(&report->print, "\":");
    return;
  }
  if (!report->has_notes)
    wm_print_char(&report->print, '\n');
  report->has_notes = true;
  for (; *key != '\0'; key++)
    wm_print_char(&report->print, *key == '_' ? ' ' : *key);
  wm_print_string(&report->print, ": ");
}

void wm_report_note_u64(struct wm_report *report, const char *key, uint64_t value)
{
  if (report->format == WM_FORMAT_CSV)
    return;
  note_key(report, key, "");
  if (report->format == WM_FORMAT_JSON) {
    wm_print_u64(&report->print, value);
  } else {
    wm_print_grouped(&report->print, value);
    wm_print_char(&report->print, '\n');
  }
}

void wm_report_note_ns(struct wm_report *report, const char *key, uint64_t ns)
{
  if (report->format == WM_FORMAT_CSV)
    return;
  note_key(report, key, "_ns");
  if (report->format == WM_FORMAT_JSON) {
    wm_print_u64(&report->print, ns);
  } else {
    wm_print_duration(&report->print, ns);
    wm_print_char(&report->print, '\n');
  }
}

void wm_report_note_text(struct wm_report *report, const char *key, struct wm_text value)
{
  if (report->format == WM_FORMAT_CSV)
    return;
  note_key(report, key, "");
  if (report->format == WM_FORMAT_JSON) {
    wm_print_json(&report->print, value);
  } else {
    wm_print_visible(&report->print, value);
    wm_print_char(&report->print, '\n');
  }
}

void wm_report_close(struct wm_report *report)
{
  if (report->format == WM_FORMAT_JSON)
    wm_print_string(&report->print, "}\n");
  wm_print_flush(&report->print);
}
