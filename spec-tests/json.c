/* The JSON reader of json.h: recursive descent over a bounded depth, nodes and strings in one pool that holds for as long as
 * the tree. A document of n bytes needs at most n nodes and n bytes of text, so the pool is taken once. */
#include "spec-tests/json.h"

#include <stdint.h>
#include <string.h>

#include "cli/buffer.h"

#include <stdlib.h>

#define DEPTH_MAX 64

struct chunk {
  struct chunk *next;
  size_t used;
  struct wm_json nodes[512];
};

struct tree { /* the root node first, so that freeing needs no more than the root */
  struct wm_json root;
  struct chunk *chunks;
  char *text;
};

struct parser {
  const char *bytes;
  size_t length, position;
  char *text; /* decoded strings, one after the other */
  struct tree *tree;
  const char *error;
};

static bool fail(struct parser *p, const char *message)
{
  if (!p->error)
    p->error = message;
  return false;
}

static void skip_space(struct parser *p)
{
  while (p->position < p->length && strchr(" \t\r\n", p->bytes[p->position]) && p->bytes[p->position])
    p->position++;
}

static bool take(struct parser *p, char c)
{
  if (p->position >= p->length || p->bytes[p->position] != c)
    return false;
  p->position++;
  return true;
}

static struct wm_json *new_node(struct parser *p)
{
  struct chunk *chunk = p->tree->chunks;
  if (!chunk || chunk->used == 512) {
    struct chunk *more = wm_allocate(1, sizeof *more);
    more->next = chunk;
    more->used = 0;
    p->tree->chunks = chunk = more;
  }
  struct wm_json *node = &chunk->nodes[chunk->used++];
  memset(node, 0, sizeof *node);
  return node;
}

static bool read_hex4(struct parser *p, uint32_t *code)
{
  *code = 0;
  for (int i = 0; i < 4; i++) {
    if (p->position >= p->length)
      return fail(p, "unexpected end");
    char c = p->bytes[p->position++];
    uint32_t digit;
    if (c >= '0' && c <= '9')
      digit = (uint32_t)(c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
      digit = (uint32_t)((c | 32) - 'a' + 10);
    else
      return fail(p, "bad \\u escape");
    *code = *code << 4 | digit;
  }
  return true;
}

static void put_utf8(struct parser *p, uint32_t code)
{
  if (code < 0x80) {
    *p->text++ = (char)code;
  } else if (code < 0x800) {
    *p->text++ = (char)(0xc0 | code >> 6);
    *p->text++ = (char)(0x80 | (code & 63));
  } else if (code < 0x10000) {
    *p->text++ = (char)(0xe0 | code >> 12);
    *p->text++ = (char)(0x80 | (code >> 6 & 63));
    *p->text++ = (char)(0x80 | (code & 63));
  } else {
    *p->text++ = (char)(0xf0 | code >> 18);
    *p->text++ = (char)(0x80 | (code >> 12 & 63));
    *p->text++ = (char)(0x80 | (code >> 6 & 63));
    *p->text++ = (char)(0x80 | (code & 63));
  }
}

static bool read_escape(struct parser *p)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (p->position >= p->length)
    return fail(p, "unexpected end");
  char c = p->bytes[p->position++];
  if (c == 'u') {
    uint32_t code, low;
    if (!read_hex4(p, &code))
      return false;
    if (code >= 0xd800 && code < 0xdc00) {
      if (!take(p, '\\') || !take(p, 'u') || !read_hex4(p, &low) || low < 0xdc00 || low > 0xdfff)
        return fail(p, "lone surrogate");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(p, code);
    return true;
  }
  const char *at = c ? strchr(from, c) : NULL;
  if (!at)
    return fail(p, "bad escape");
  *p->text++ = to[at - from];
  return true;
}

static bool read_string(struct parser *p, const char **text, size_t *length)
{
  if (!take(p, '"'))
    return fail(p, "string expected");
  char *start = p->text;
  for (;;) {
    if (p->position >= p->length)
      return fail(p, "unexpected end");
    char c = p->bytes[p->position++];
    if (c == '"')
      break;
    if ((unsigned char)c < 0x20)
      return fail(p, "control character in a string");
    if (c != '\\')
      *p->text++ = c;
    else if (!read_escape(p))
      return false;
  }
  *text = start;
  *length = (size_t)(p->text - start);
  *p->text++ = 0;
  return true;
}

static bool read_number(struct parser *p, struct wm_json *node)
{
  char *start = p->text;
  while (p->position < p->length && p->bytes[p->position] && strchr("+-.0123456789eE", p->bytes[p->position]))
    *p->text++ = p->bytes[p->position++];
  node->kind = WM_JSON_NUMBER;
  node->text = start;
  node->length = (size_t)(p->text - start);
  *p->text++ = 0;
  return node->length > 0 || fail(p, "value expected");
}

static bool read_word(struct parser *p, struct wm_json *node)
{
  static const struct { const char *word; unsigned char kind; } words[] = {
    {"null", WM_JSON_NULL}, {"true", WM_JSON_TRUE}, {"false", WM_JSON_FALSE}};
  for (size_t i = 0; i < 3; i++) {
    size_t n = strlen(words[i].word);
    if (p->length - p->position >= n && memcmp(p->bytes + p->position, words[i].word, n) == 0) {
      p->position += n;
      node->kind = words[i].kind;
      return true;
    }
  }
  return fail(p, "value expected");
}

static bool read_value(struct parser *p, struct wm_json *node, unsigned depth);

static bool read_items(struct parser *p, struct wm_json *node, char close, unsigned depth)
{
  const struct wm_json **link = &node->child;
  skip_space(p);
  if (take(p, close))
    return true;
  do {
    struct wm_json *item = new_node(p);
    *link = item;
    link = &item->next;
    if (close == '}') {
      size_t key_length;
      skip_space(p);
      if (!read_string(p, &item->key, &key_length))
        return false;
      skip_space(p);
      if (!take(p, ':'))
        return fail(p, "':' expected");
    }
    if (!read_value(p, item, depth + 1))
      return false;
    skip_space(p);
  } while (take(p, ','));
  return take(p, close) || fail(p, close == '}' ? "'}' expected" : "']' expected");
}

static bool read_value(struct parser *p, struct wm_json *node, unsigned depth)
{
  if (depth > DEPTH_MAX)
    return fail(p, "nested too deeply");
  skip_space(p);
  char c = p->position < p->length ? p->bytes[p->position] : 0;
  if (c == '{' || c == '[') {
    p->position++;
    node->kind = c == '{' ? WM_JSON_OBJECT : WM_JSON_ARRAY;
    return read_items(p, node, c == '{' ? '}' : ']', depth);
  }
  if (c == '"') {
    node->kind = WM_JSON_STRING;
    return read_string(p, &node->text, &node->length);
  }
  return c == '-' || (c >= '0' && c <= '9') ? read_number(p, node) : read_word(p, node);
}

const struct wm_json *wm_json_parse(const char *bytes, size_t length, const char **error, size_t *offset)
{
  struct tree *tree = wm_allocate(1, sizeof *tree);
  memset(tree, 0, sizeof *tree);
  tree->text = wm_allocate(length + 1, 2); /* a number's terminator may need a byte that its source does not have */
  struct parser p = {.bytes = bytes, .length = length, .text = tree->text, .tree = tree};
  if (read_value(&p, &tree->root, 0)) {
    skip_space(&p);
    if (p.position == length)
      return &tree->root;
    fail(&p, "unexpected content after the value");
  }
  *error = p.error;
  *offset = p.position;
  wm_json_free(&tree->root);
  return NULL;
}

void wm_json_free(const struct wm_json *root)
{
  if (!root)
    return;
  struct tree *tree = (struct tree *)root;
  for (struct chunk *chunk = tree->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  free(tree->text);
  free(tree);
}

const struct wm_json *wm_json_get(const struct wm_json *object, const char *key)
{
  if (!object || object->kind != WM_JSON_OBJECT)
    return NULL;
  for (const struct wm_json *item = object->child; item; item = item->next)
    if (strcmp(item->key, key) == 0)
      return item;
  return NULL;
}

const char *wm_json_text(const struct wm_json *object, const char *key)
{
  const struct wm_json *item = wm_json_get(object, key);
  return item && (item->kind == WM_JSON_STRING || item->kind == WM_JSON_NUMBER) ? item->text : NULL;
}
