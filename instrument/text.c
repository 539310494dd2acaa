/* Integers, columns and escapes into a bounded buffer or a writer (text.h). Freestanding: no library call at all. */
#include "instrument/text.h"

void wm_print_open(struct wm_print *print, char *bytes, size_t capacity, struct wm_writer *writer)
{
  *print = (struct wm_print){.bytes = bytes, .capacity = capacity, .writer = writer};
}

void wm_print_flush(struct wm_print *print)
{
  if (print->writer != NULL && print->length > 0) {
    print->writer->write(print->writer, print->bytes, print->length);
    print->length = 0;
  }
}

void wm_print_char(struct wm_print *print, char c)
{
  if (print->length == print->capacity) {
    wm_print_flush(print);
    if (print->length == print->capacity) {
      print->is_cut = true;
      return;
    }
  }
  print->bytes[print->length++] = c;
}

void wm_print_bytes(struct wm_print *print, const char *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++)
    wm_print_char(print, bytes[i]);
}

void wm_print_string(struct wm_print *print, const char *string)
{
  for (; *string != '\0'; string++)
    wm_print_char(print, *string);
}

void wm_print_text(struct wm_print *print, struct wm_text text)
{
  wm_print_bytes(print, text.bytes, text.length);
}

void wm_print_repeat(struct wm_print *print, char c, size_t count)
{
  for (size_t i = 0; i < count; i++)
    wm_print_char(print, c);
}

/* Digits of value, most significant first; returns how many (1 to 20). */
static unsigned decimal_digits(uint64_t value, char digits[20])
{
  char reversed[20];
  unsigned count = 0;
  do {
    reversed[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (unsigned i = 0; i < count; i++)
    digits[i] = reversed[count - 1 - i];
  return count;
}

void wm_print_u64(struct wm_print *print, uint64_t value)
{
  char digits[20];
  wm_print_bytes(print, digits, decimal_digits(value, digits));
}

void wm_print_grouped(struct wm_print *print, uint64_t value)
{
  char digits[20];
  unsigned count = decimal_digits(value, digits);
  for (unsigned i = 0; i < count; i++) {
    if (i > 0 && (count - i) % 3 == 0)
      wm_print_char(print, ',');
    wm_print_char(print, digits[i]);
  }
}

void wm_print_scaled(struct wm_print *print, uint64_t value, unsigned decimals)
{
  uint64_t scale = 1;
  for (unsigned i = 0; i < decimals; i++)
    scale *= 10;
  wm_print_u64(print, value / scale);
  if (decimals == 0)
    return;
  char digits[20];
  unsigned count = decimal_digits(value % scale, digits);
  wm_print_char(print, '.');
  wm_print_repeat(print, '0', decimals - count);
  wm_print_bytes(print, digits, count);
}

void wm_print_hex(struct wm_print *print, uint64_t value, unsigned digits)
{
  unsigned count = 1;
  while (count < 16 && value >> (4 * count) != 0)
    count++;
  wm_print_repeat(print, '0', digits > count ? digits - count : 0);
  for (unsigned i = count; i-- > 0;)
    wm_print_char(print, "0123456789abcdef"[value >> (4 * i) & 15]);
}

uint64_t wm_ratio_half_up(uint64_t value, uint32_t multiplier, uint64_t divisor)
{
  /* value = q * divisor + r: the quotient's part is exact; what is left is r * multiplier / divisor. */
  uint64_t whole = value / divisor * multiplier;
  uint64_t rest = value % divisor;
  uint64_t part = 0, remainder = 0; /* long multiplication by bits keeps everything below 2 * divisor … */
  for (unsigned bit = 32; bit-- > 0;) {
    part *= 2;
    /* remainder = 2 * remainder + (bit set ? rest : 0), reduced after each addition; both terms are below divisor */
    for (unsigned add = 0; add < 2; add++) {
      uint64_t term = add == 0 ? remainder : (multiplier >> bit & 1) != 0 ? rest : 0;
      if (term >= divisor - remainder) {
        remainder -= divisor - term;
        part++;
      } else {
        remainder += term;
      }
    }
  }
  return whole + part + (remainder >= divisor - remainder ? 1 : 0);
}

void wm_print_size(struct wm_print *print, uint64_t bytes)
{
  if (bytes < 1024) {
    wm_print_u64(print, bytes);
    wm_print_string(print, " B");
    return;
  }
  unsigned unit = 1;
  uint64_t tenths = wm_ratio_half_up(bytes, 10, 1024);
  while (unit < 6 && tenths >= 10240) {
    unit++;
    tenths = wm_ratio_half_up(bytes, 10, UINT64_C(1) << (10 * unit));
  }
  wm_print_scaled(print, tenths, 1);
  wm_print_char(print, ' ');
  wm_print_char(print, " KMGTPE"[unit]);
  wm_print_string(print, "iB");
}

void wm_print_duration(struct wm_print *print, uint64_t ns)
{
  static const char *const names[] = {" µs", " ms", " s"};
  if (ns < 1000) {
    wm_print_u64(print, ns);
    wm_print_string(print, " ns");
    return;
  }
  unsigned unit = 0;
  uint64_t scale = 1000;
  uint64_t hundredths = wm_ratio_half_up(ns, 100, scale);
  while (unit < 2 && hundredths >= 100000) {
    unit++;
    scale *= 1000;
    hundredths = wm_ratio_half_up(ns, 100, scale);
  }
  wm_print_scaled(print, hundredths, 2);
  wm_print_string(print, names[unit]);
}

void wm_print_csv(struct wm_print *print, struct wm_text text)
{
  bool needs_quotes = text.length > 0 && (text.bytes[0] == ' ' || text.bytes[text.length - 1] == ' ');
  for (uint32_t i = 0; i < text.length; i++) {
    char c = text.bytes[i];
    needs_quotes |= c == ',' || c == '"' || c == '\n' || c == '\r';
  }
  if (!needs_quotes) {
    wm_print_text(print, text);
    return;
  }
  wm_print_char(print, '"');
  for (uint32_t i = 0; i < text.length; i++) {
    if (text.bytes[i] == '"')
      wm_print_char(print, '"');
    wm_print_char(print, text.bytes[i]);
  }
  wm_print_char(print, '"');
}

unsigned wm_text_utf8(const char *bytes, size_t length)
{
  if (length == 0)
    return 0;
  const unsigned char *b = (const unsigned char *)bytes;
  if (b[0] < 0x80)
    return 1;
  unsigned count = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
  if (b[0] < 0xc2 || b[0] > 0xf4 || length < count)
    return 0;
  for (unsigned i = 1; i < count; i++)
    if ((b[i] & 0xc0) != 0x80)
      return 0;
  bool is_long = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90); /* shorter form exists */
  bool is_beyond = (b[0] == 0xed && b[1] > 0x9f) || (b[0] == 0xf4 && b[1] > 0x8f); /* surrogate, above U+10FFFF */
  return is_long || is_beyond ? 0 : count;
}

static void print_json_ascii(struct wm_print *print, char c)
{
  static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";
  for (unsigned i = 0; i + 1 < sizeof short_forms; i += 2) {
    if (c == short_forms[i]) {
      wm_print_char(print, '\\');
      wm_print_char(print, short_forms[i + 1]);
      return;
    }
  }
  if ((unsigned char)c < 0x20 || c == 0x7f) {
    wm_print_string(print, "\\u");
    wm_print_hex(print, (unsigned char)c, 4);
  } else {
    wm_print_char(print, c);
  }
}

void wm_print_json(struct wm_print *print, struct wm_text text)
{
  wm_print_char(print, '"');
  for (uint32_t i = 0; i < text.length;) {
    unsigned count = wm_text_utf8(text.bytes + i, text.length - i);
    if (count == 0) {
      wm_print_string(print, "\\ufffd");
      i++;
    } else if (count == 1) {
      print_json_ascii(print, text.bytes[i++]);
    } else {
      wm_print_bytes(print, text.bytes + i, count);
      i += count;
    }
  }
  wm_print_char(print, '"');
}

/* C0 controls, DEL, and C1 controls (U+0080 to U+009F). */
static bool is_control(const char *bytes, unsigned count)
{
  const unsigned char *b = (const unsigned char *)bytes;
  return count == 1 ? b[0] < 0x20 || b[0] == 0x7f : count == 2 && b[0] == 0xc2 && b[1] < 0xa0;
}

void wm_print_visible(struct wm_print *print, struct wm_text text)
{
  for (uint32_t i = 0; i < text.length;) {
    unsigned count = wm_text_utf8(text.bytes + i, text.length - i);
    bool is_plain = count > 0 && !is_control(text.bytes + i, count);
    unsigned end = count == 0 ? 1 : count;
    for (unsigned k = 0; k < end; k++, i++) {
      if (is_plain) {
        wm_print_char(print, text.bytes[i]);
      } else {
        wm_print_string(print, "\\x");
        wm_print_hex(print, (unsigned char)text.bytes[i], 2);
      }
    }
  }
}

size_t wm_text_columns(const char *bytes, size_t length)
{
  size_t columns = 0;
  for (size_t i = 0; i < length; i++)
    columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
  return columns;
}

struct wm_text wm_text_of(const char *string)
{
  uint32_t length = 0;
  while (string[length] != '\0')
    length++;
  return (struct wm_text){string, length};
}

bool wm_text_is_equal(struct wm_text a, struct wm_text b)
{
  if (a.length != b.length)
    return false;
  for (uint32_t i = 0; i < a.length; i++)
    if (a.bytes[i] != b.bytes[i])
      return false;
  return true;
}

bool wm_text_is(struct wm_text text, const char *string)
{
  return wm_text_is_equal(text, wm_text_of(string));
}
