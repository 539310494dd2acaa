// Reads a .wast script as S-expressions: the lexical rules of the text format
// (WebAssembly 3.0, section 6.3) as far as a script needs them: nested block
// comments, line comments, strings with escapes, quoted identifiers and
// annotations, which are dropped. The input is held as a latin1 string, one
// character per byte, because scripts may contain bytes that are not UTF-8.
// What the atoms mean is left to literals.mjs and commands.mjs.

export class ScriptError extends Error {
  constructor(message, line) {
    super(line ? `line ${line}: ${message}` : message);
    this.line = line;
  }
}

// Nodes:
//   { kind: 'list', items, start, end, line }   start and end are byte offsets
//   { kind: 'atom', text, line }
//   { kind: 'string', bytes, line }             bytes is a Buffer
//   { kind: 'id', text, line }                  $name or $"quoted", without the $
export function readScript(buffer) {
  const reader = new Reader(buffer.toString('latin1'));
  const nodes = [];
  for (;;) {
    reader.skipSpace();
    if (reader.atEnd()) return nodes;
    nodes.push(reader.node());
  }
}

const isDelimiter = (c) =>
  c === ' ' || c === '\t' || c === '\n' || c === '\r' || c === '(' || c === ')' ||
  c === '"' || c === ';' || c === undefined;

class Reader {
  constructor(text) {
    this.text = text;
    this.pos = 0;
    this.line = 1;
  }

  atEnd() {
    return this.pos >= this.text.length;
  }

  fail(message) {
    throw new ScriptError(message, this.line);
  }

  skipSpace() {
    const { text } = this;
    for (;;) {
      const c = text[this.pos];
      if (c === '\n') {
        this.line++;
        this.pos++;
      } else if (c === ' ' || c === '\t' || c === '\r') {
        this.pos++;
      } else if (c === ';' && text[this.pos + 1] === ';') {
        // A line comment ends at a line feed or a lone carriage return.
        while (!this.atEnd() && text[this.pos] !== '\n' && text[this.pos] !== '\r') this.pos++;
      } else if (c === '(' && text[this.pos + 1] === ';') {
        this.skipBlockComment();
      } else if (c === '(' && text[this.pos + 1] === '@') {
        this.pos += 2;
        if (text[this.pos] === '"') this.string();
        this.restOfList();
      } else {
        return;
      }
    }
  }

  skipBlockComment() {
    const { text } = this;
    const line = this.line;
    let depth = 0;
    do {
      if (this.atEnd()) throw new ScriptError('unclosed comment', line);
      if (text.startsWith('(;', this.pos)) {
        depth++;
        this.pos += 2;
      } else if (text.startsWith(';)', this.pos)) {
        depth--;
        this.pos += 2;
      } else {
        if (text[this.pos] === '\n') this.line++;
        this.pos++;
      }
    } while (depth > 0);
  }

  node() {
    const { text, line } = this;
    const c = text[this.pos];
    if (c === '(') {
      const start = this.pos++;
      const items = this.restOfList();
      return { kind: 'list', items, start, end: this.pos, line };
    }
    if (c === ')') this.fail('unexpected )');
    if (c === '"') return { kind: 'string', bytes: this.string(), line };
    if (c === '$' && text[this.pos + 1] === '"') {
      this.pos++;
      return { kind: 'id', text: this.string().toString('utf8'), line };
    }
    const start = this.pos;
    while (!isDelimiter(text[this.pos])) this.pos++;
    if (this.pos === start) this.pos++; // a lone ';', which only an annotation may hold
    const atom = text.slice(start, this.pos);
    return atom[0] === '$'
      ? { kind: 'id', text: atom.slice(1), line }
      : { kind: 'atom', text: atom, line };
  }

  // The items up to and including the closing parenthesis. Nesting is kept on
  // an explicit stack: scripts nest thousands deep.
  restOfList() {
    const root = { items: [], line: this.line };
    const open = [root];
    for (;;) {
      this.skipSpace();
      const top = open[open.length - 1];
      if (this.atEnd()) throw new ScriptError('unclosed parenthesis', top.line);
      const c = this.text[this.pos];
      if (c === ')') {
        this.pos++;
        open.pop();
        if (open.length === 0) return root.items;
        top.end = this.pos;
      } else if (c === '(') {
        const list = { kind: 'list', items: [], start: this.pos, end: 0, line: this.line };
        this.pos++;
        top.items.push(list);
        open.push(list);
      } else {
        top.items.push(this.node());
      }
    }
  }

  string() {
    const { text } = this;
    const line = this.line;
    const bytes = [];
    this.pos++;
    for (;;) {
      const c = text[this.pos++];
      if (c === '"') return Buffer.from(bytes);
      if (c === undefined || c === '\n') throw new ScriptError('unclosed string', line);
      if (c !== '\\') {
        bytes.push(c.charCodeAt(0));
        continue;
      }
      this.escape(bytes);
    }
  }

  escape(bytes) {
    const { text } = this;
    const c = text[this.pos++];
    const plain = { t: 9, n: 10, r: 13, '"': 34, "'": 39, '\\': 92 }[c];
    if (plain !== undefined) {
      bytes.push(plain);
    } else if (c === 'u') {
      const match = /^\{([0-9a-fA-F_]+)\}/.exec(text.slice(this.pos, this.pos + 24));
      if (!match) this.fail('malformed \\u escape');
      this.pos += match[0].length;
      const code = parseInt(match[1].replaceAll('_', ''), 16);
      bytes.push(...Buffer.from(String.fromCodePoint(code), 'utf8'));
    } else {
      const hex = text.slice(this.pos - 1, this.pos + 1);
      if (!/^[0-9a-fA-F]{2}$/.test(hex)) this.fail(`unknown escape \\${c}`);
      bytes.push(parseInt(hex, 16));
      this.pos++;
    }
  }
}

// The source text of one module in a form that every assembler accepts:
// comments are blanked (they may hold arbitrary bytes) and bytes >= 0x80 in
// strings become \hh escapes (assemblers refuse bidirectional control
// characters even there). Line numbers are kept; everything else stays.
export function assemblerText(buffer, start, end) {
  const text = buffer.toString('latin1', start, end);
  const token = /"(?:\\.|[^"\\])*"|;;[^\n\r]*|\(;|[^";(]+|[;(]/gy;
  let out = '';
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const [piece] = token.exec(text) ?? [];
    if (piece === undefined) throw new ScriptError('unclosed string in module text');
    if (piece === '(;') {
      const comment = new Reader(text);
      comment.pos = at;
      comment.skipBlockComment();
      out += text.slice(at, comment.pos).replace(/[^\n]/g, ' ');
      token.lastIndex = comment.pos;
    } else if (piece[0] === '"') {
      out += piece.replace(/[\x80-\xff]/g, (c) => '\\' + c.charCodeAt(0).toString(16));
    } else if (piece.startsWith(';;')) {
      out += ' ';
    } else {
      out += piece;
    }
  }
  return Buffer.from(out, 'latin1').toString('utf8');
}
