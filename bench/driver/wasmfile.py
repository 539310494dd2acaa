"""Rewrites WebAssembly binaries just enough to let every engine run the same code.

Sections are kept as bytes; only what has to be extended is taken apart (WebAssembly 3.0, 5.5). Function bodies are never
touched: what is measured is the code as it was shipped. Three rewritings are made from this:
  close_component   a QIP component (contract V3) and its input become a module with one export, bench_run(n), that renders
                    n times and returns a checksum of the output;
  close_call        bench_run(n) with a fixed n, for engines that cannot pass an argument;
  close_imports     a module with imports becomes one without, for the load-time table.
It raises ValueError for a module that it cannot rewrite and leaves validation to the engines.
"""

import re

TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, DATA_COUNT, TAG = range(1, 14)
# The order in which sections stand in a file.
ORDER = [TYPE, IMPORT, FUNCTION, TABLE, MEMORY, TAG, GLOBAL, EXPORT, START, ELEMENT, DATA_COUNT, CODE, DATA]
I32, I64 = 0x7F, 0x7E
PAGE = 65536
FNV_BASIS, FNV_PRIME = 0x811C9DC5, 0x01000193


def uleb(value):
    out = bytearray()
    while True:
        byte = value & 127
        value >>= 7
        out.append(byte | (128 if value else 0))
        if not value:
            return bytes(out)


def sleb(value):
    out = bytearray()
    while True:
        byte = value & 127
        value >>= 7
        done = (value == 0 and not byte & 64) or (value == -1 and byte & 64)
        out.append(byte | (0 if done else 128))
        if done:
            return bytes(out)


def vector(items):
    return uleb(len(items)) + b"".join(items)


def name(text):
    data = text.encode()
    return uleb(len(data)) + data


class Reader:
    """A cursor over bytes."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count):
        if self.at + count > len(self.data):
            raise ValueError("truncated")
        self.at += count
        return self.data[self.at - count:self.at]

    def uleb(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def sleb(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if byte & 64 else value

    def skip_limits(self):
        flags = self.byte()
        self.uleb()
        if flags & 1:
            self.uleb()

    def rest(self):
        return self.data[self.at:]


class Module:
    """A module as a list of (section id, payload); payload slots are replaced whole."""

    def __init__(self, data):
        if data[:8] != b"\0asm\1\0\0\0":
            raise ValueError("not a WebAssembly 1 module")
        self.sections = []
        reader = Reader(data, 8)
        while reader.at < len(data):
            kind = reader.byte()
            self.sections.append([kind, reader.take(reader.uleb())])

    def encode(self):
        return b"\0asm\1\0\0\0" + b"".join(bytes([k]) + uleb(len(p)) + p for k, p in self.sections)

    def get(self, kind, default=b"\0"):
        return next((p for k, p in self.sections if k == kind), default)

    def put(self, kind, payload):
        for section in self.sections:
            if section[0] == kind:
                section[1] = payload
                return
        rank = ORDER.index(kind)
        at = next((i for i, s in enumerate(self.sections) if s[0] and ORDER.index(s[0]) > rank), len(self.sections))
        self.sections.insert(at, [kind, payload])

    def drop(self, kind):
        self.sections = [s for s in self.sections if s[0] != kind]

    def append(self, kind, item):
        """Adds one encoded item to a section that is a vector, and returns its index there."""
        reader = Reader(self.get(kind))
        count = reader.uleb()
        self.put(kind, uleb(count + 1) + reader.rest() + item)
        return count

    def imports(self):
        """A list of (kind, encoded description)."""
        reader, result = Reader(self.get(IMPORT)), []
        for _ in range(reader.uleb()):
            reader.take(reader.uleb())
            reader.take(reader.uleb())
            kind, start = reader.byte(), reader.at
            if kind == 0:
                reader.uleb()
            elif kind == 1:
                reader.byte()
                reader.skip_limits()
            elif kind == 2:
                reader.skip_limits()
            elif kind == 3:
                reader.take(2)
            else:
                raise ValueError(f"import of kind {kind}")
            result.append((kind, self.get(IMPORT)[start:reader.at]))
        return result

    def exports(self):
        """A dictionary of name to (kind, index)."""
        reader, result = Reader(self.get(EXPORT)), {}
        for _ in range(reader.uleb()):
            text = reader.take(reader.uleb()).decode()
            kind = reader.byte()
            result[text] = (kind, reader.uleb())
        return result

    def set_exports(self, exports):
        self.put(EXPORT, vector([name(n) + bytes([k]) + uleb(i) for n, (k, i) in exports.items()]))

    def exported_function(self, text):
        kind, index = self.exports().get(text, (None, None))
        if kind != 0:
            raise ValueError(f"no exported function {text}")
        return index

    def add_function(self, params, results, local_types, body):
        """Appends a function and returns its index; local_types is a list of (count, type)."""
        kind = self.append(TYPE, b"\x60" + vector([bytes([t]) for t in params]) + vector([bytes([t]) for t in results]))
        code = vector([uleb(c) + bytes([t]) for c, t in local_types]) + body + b"\x0b"
        self.append(CODE, uleb(len(code)) + code)
        return self.append(FUNCTION, uleb(kind)) + sum(1 for k, _ in self.imports() if k == 0)

    def memory_pages(self):
        """(initial, maximum or None) of the only memory, which must be the module's own."""
        reader = Reader(self.get(MEMORY))
        if reader.uleb() != 1:
            raise ValueError("not exactly one memory of its own")
        flags, initial = reader.byte(), reader.uleb()
        return initial, reader.uleb() if flags & 1 else None

    def set_memory_pages(self, initial, maximum):
        limits = b"\0" + uleb(initial) if maximum is None else b"\1" + uleb(initial) + uleb(maximum)
        self.put(MEMORY, b"\1" + limits)

    def add_data(self, address, data):
        self.append(DATA, b"\0\x41" + sleb(address) + b"\x0b" + uleb(len(data)) + data)
        if self.get(DATA_COUNT, None) is not None:
            self.put(DATA_COUNT, uleb(Reader(self.get(DATA)).uleb()))

    def constant_result(self, text):
        """The value of a static getter: a body of one i32.const or one global.get of an immutable constant."""
        index = self.exported_function(text) - sum(1 for k, _ in self.imports() if k == 0)
        reader = Reader(self.get(CODE))
        if index < 0 or index >= reader.uleb():
            raise ValueError(f"{text} is not a function of its own")
        for _ in range(index):
            reader.take(reader.uleb())
        body = Reader(reader.take(reader.uleb()))
        if body.uleb() != 0:
            raise ValueError(f"{text} is not a static getter")
        opcode = body.byte()
        if opcode == 0x41:
            return body.sleb() & 0xFFFFFFFF
        if opcode == 0x23:
            return self.global_constant(body.uleb())
        raise ValueError(f"{text} is not a static getter")

    def global_constant(self, index):
        reader = Reader(self.get(GLOBAL))
        for _ in range(reader.uleb()):
            reader.take(2)
            opcode = reader.byte()
            value = reader.sleb() & 0xFFFFFFFF if opcode in (0x41, 0x42) else None
            if value is None or reader.byte() != 0x0B:
                raise ValueError("a global is not a constant")
            if index == 0:
                return value
            index -= 1
        raise ValueError("no such global")


def assemble(text, **values):
    """Hand assembly: words of hex bytes, with {name} for a signed and {name:u} for an unsigned LEB of a value; ';;' opens
    a comment."""
    out = bytearray()
    for word in re.sub(r";;.*", "", text).split():
        match = re.fullmatch(r"\{(\w+)(:u)?\}", word)
        if match:
            out += (uleb if match.group(2) else sleb)(values[match.group(1)])
        else:
            out += bytes.fromhex(word)
    return bytes(out)


def signed32(value):
    return value - (1 << 32) if value >= 1 << 31 else value


def fnv1a(data):
    total = FNV_BASIS
    for byte in data:
        total = ((total ^ byte) * FNV_PRIME) & 0xFFFFFFFF
    return total


# bench_run(n): parameter 0 is n; locals: 1 result, 2 first result (i64), 3 address, 4 end, 5 checksum (i32).
RENDER_LOOP = """
  02 40                          ;; block
    03 40                        ;; loop
      20 00  45  0d 01           ;; leave when n is zero
      {restore}
      41 {length}  10 {render:u}  22 01    ;; result = render(length)
      42 00  53  04 40  00  0b   ;; a rejection traps
      20 02  50  04 40  20 01  21 02  0b   ;; the first result is kept
      20 01  20 02  52  04 40  00  0b      ;; another result later traps
      20 00  41 7f  6a  21 00    ;; n -= 1
      0c 00
    0b
  0b
  20 01  42 20  88  a7  22 03    ;; address = result >> 32
  20 01  a7  6a  21 04           ;; end = address + low half
  41 {basis}  21 05
  02 40                          ;; FNV-1a of the last output
    03 40
      20 03  20 04  4f  0d 01
      20 05  20 03  2d 00 00  73  41 {prime}  6c  21 05
      20 03  41 01  6a  21 03
      0c 00
    0b
  0b
  20 05
"""
RESTORE = "41 {input}  41 {saved}  41 {length}  fc 0a 00 00"


def close_component(data, content):
    """The component with its input inside: bench_run(n) copies the input to input_ptr and renders, n times over.

    The copy of the input lies in pages added behind the component's own memory.
    """
    module = Module(data)
    if module.imports() or module.get(START, None) is not None:
        raise ValueError("a component with imports or a start function")
    initial, maximum = module.memory_pages()
    if maximum is not None and maximum != initial:
        raise ValueError("a component whose memory can grow")
    render = module.exported_function("render")
    restore = ""
    values = {"length": len(content), "render": render, "basis": signed32(FNV_BASIS), "prime": FNV_PRIME}
    if content:
        restore = RESTORE
        values |= {"input": signed32(module.constant_result("input_ptr")), "saved": initial * PAGE}
        cap = "input_utf8_cap" if "input_utf8_cap" in module.exports() else "input_bytes_cap"
        if len(content) > module.constant_result(cap):
            raise ValueError("the input does not fit")
        pages = -(-len(content) // PAGE)
        module.set_memory_pages(initial + pages, initial + pages)
        module.add_data(initial * PAGE, content)
    body = assemble(RENDER_LOOP.replace("{restore}", restore), **values)
    index = module.add_function([I32], [I32], [(2, I64), (3, I32)], body)
    module.set_exports({"bench_run": (0, index), "memory": (2, 0)})
    return module.encode()


def close_call(data, n, export, expected=None):
    """bench_run(n) as the only export, without parameters. With expected it returns nothing and traps on another result."""
    module = Module(data)
    call = assemble("41 {n} 10 {run:u}", n=signed32(n), run=module.exported_function("bench_run"))
    if expected is None:
        index = module.add_function([], [I32], [], call)
    else:
        check = assemble("41 {want} 47 04 40 00 0b", want=signed32(expected))
        index = module.add_function([], [], [], call + check)
    module.set_exports({export: (0, index), "memory": (2, 0)})
    return module.encode()


def close_imports(data):
    """The module without imports and start function, and with a trivial bench_run(n) as an export.

    Imported functions become functions that trap, in the same places of the index space; imported memories, tables and
    globals become the module's own. The code section keeps every byte that it had.
    """
    module = Module(data)
    stubs, tables, memories, global_items = [], [], [], []
    for kind, description in module.imports():
        if kind == 0:
            stubs.append(description)
        elif kind == 1:
            tables.append(description)
        elif kind == 2:
            memories.append(description)
        else:
            zero = {0x7F: b"\x41\0", 0x7E: b"\x42\0", 0x7D: b"\x43" + bytes(4), 0x7C: b"\x44" + bytes(8)}.get(description[0])
            if zero is None:
                raise ValueError("an imported global of a reference type")
            global_items.append(description + zero + b"\x0b")
    module.drop(IMPORT)
    module.drop(START)
    for kind, items in ((FUNCTION, stubs), (CODE, [b"\x03\0\0\x0b"] * len(stubs)), (TABLE, tables), (MEMORY, memories),
                        (GLOBAL, global_items)):
        if items:
            reader = Reader(module.get(kind))
            count = reader.uleb()
            module.put(kind, uleb(count + len(items)) + b"".join(items) + reader.rest())
    index = module.add_function([I32], [I32], [], b"\x20\0")
    module.set_exports({"bench_run": (0, index)})
    return module.encode()


def tiny_module():
    """The smallest module with bench_run(n) = n + 1 and a one-page memory: what a cold start has to load."""
    module = Module(b"\0asm\1\0\0\0")
    module.set_memory_pages(1, 1)
    index = module.add_function([I32], [I32], [], b"\x20\0\x41\1\x6a")
    module.set_exports({"bench_run": (0, index), "memory": (2, 0)})
    return module.encode()
