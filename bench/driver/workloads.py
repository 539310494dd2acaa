"""What is run: the kernels of bench/kernels and the example components, with how much work one measured run does.

The unit counts make a run take about a quarter of a second in an interpreter of wasm3's class on a 2020s server core; an
engine's scale (engines.py) and --scale change them. Component inputs are generated here from fixed seeds, so that they are
the same everywhere; tables name their size and digest.
"""

from dataclasses import dataclass
from pathlib import Path

# The seven kinds of scalar work that engines are compared by (recursion, sieve, checksum, matrix, blur, parser, dispatch),
# further scalar ones, and those that need simd128: name to (group, units).
KERNELS = {
    "fib": ("core", 2400), "sieve": ("core", 352), "crc": ("core", 1200), "matmul": ("core", 448), "blur": ("core", 384),
    "json": ("core", 1200), "dispatch": ("core", 560),
    "vm": ("more", 1200), "sort": ("more", 560), "hashmap": ("more", 1600), "search": ("more", 608),
    "sha256": ("more", 800), "nbody": ("more", 2400),
    "rgba8": ("simd", 960), "rgba32f": ("simd", 960),
}


@dataclass
class Workload:
    """bench_run(n) in a module, and how many units an engine of scale 1 is given."""
    name: str
    group: str
    units: int
    module: Path
    note: str = ""
    is_kernel: bool = False
    component: Path = None  # the component as it ships, and its input as a file
    content: Path = None


def kernels(builder, wanted):
    """The kernels as workloads, those with a name in wanted, or all."""
    return [Workload(name, group, units, builder.kernel(name, group == "simd"), is_kernel=True)
            for name, (group, units) in KERNELS.items() if not wanted or name in wanted]


class Random:
    """xorshift32, as in the kernels."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        x = self.state
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        self.state = x
        return x % bound


WORDS = ("page memory read write byte table frame layer render input output stack report count of the a and to in is with "
         "component budget instruction address module function").split()


def sentence(random, words):
    text = " ".join(WORDS[random.below(len(WORDS))] for _ in range(words))
    return text[0].upper() + text[1:]


def markdown_text(sections):
    """Headings, paragraphs with emphasis, code and links, lists, quotes, code blocks and tables."""
    random, out = Random(0x5EED), []
    for i in range(sections):
        out.append(f"{'#' * (1 + random.below(3))} {sentence(random, 4)}\n")
        out.append(f"{sentence(random, 18)}, *{sentence(random, 2)}* and **{sentence(random, 3)}**:\n"
                   f"`{WORDS[random.below(len(WORDS))]}[{i}]` in [{sentence(random, 2)}](https://example.com/{i}?a=1&b=2).\n")
        out.append("".join(f"- {sentence(random, 6)}\n" for _ in range(4)))
        out.append(f"> {sentence(random, 12)} <{i} & more>\n")
        out.append("```c\nfor (int i = 0; i < n; i++)\n    total += a[i] * b[i];\n```\n")
        out.append("| name | count |\n|---|---:|\n" + "".join(f"| {sentence(random, 2)} | {random.below(9999)} |\n"
                                                              for _ in range(3)))
    return "\n".join(out).encode()


def json_text(records):
    random = Random(0x15A5)
    rows = [f'  {{"id": {i}, "name": "{sentence(random, 3)} \\"\\u00e9\\"", "ratio": -{random.below(99)}.{random.below(999)}e-2, '
            f'"tags": ["{WORDS[random.below(len(WORDS))]}", null, true], "at": {{"x": {random.below(640)}, "y": 0}}}}'
            for i in range(records)]
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode()


def random_bytes(count):
    random = Random(0xB17E5)
    return bytes(random.below(256) for _ in range(count))


def premultiplied_pixels(pixels):
    """Two images, the upper one with varying alpha; every channel is at most its pixel's alpha."""
    random, out = Random(0xA1FA), bytearray()
    for i in range(2 * pixels):
        alpha = 255 if i >= pixels else random.below(256)
        out += bytes(random.below(alpha + 1) for _ in range(3)) + bytes([alpha])
    return bytes(out)


BOUNDARY = "uuid-00000000-0000-0000-0000-000000000000"


def multipart_request(fields):
    """The canonical request: every field a file part named after itself."""
    out = bytearray()
    for field, data in fields.items():
        out += (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{field}"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n").encode() + data + b"\r\n"
    return bytes(out + f"--{BOUNDARY}--\r\n".encode())


# Example components under contract V3: name to (group, units, input, what it is).
COMPONENTS = {
    "markdown": ("scalar", 48, lambda: markdown_text(24), "Markdown text"),
    "deflate": ("scalar", 8, lambda: markdown_text(24), "Markdown text"),
    "crc32": ("scalar", 320, lambda: random_bytes(65536), "random bytes"),
    "validate-json": ("scalar", 96, lambda: json_text(400), "JSON text"),
    "primes": ("scalar", 960, lambda: b"", "no input"),
    "blend": ("simd", 192, lambda: premultiplied_pixels(16384), "two images of 128 x 128"),
    "gauge": ("simd", 48, lambda: b"", "no input, frames of one state"),
}


# What the page report's own component is asked: little enough for its budget of a million instructions.
SELF_COMPONENT, SELF_TARGET, SELF_INPUT_BYTES = "qip-interpret-memory-page-writes-csv", "crc32", 32768


def page_report_component(builder, build, folder):
    """The page report as a component, closed over one request; None when it or its target is not built."""
    path = next(iter(sorted(build.rglob(f"{SELF_COMPONENT}.wasm"))), None)
    target = folder / f"{SELF_TARGET}.wasm"
    if path is None or not target.exists():
        return None
    content = random_bytes(SELF_INPUT_BYTES)
    request = multipart_request({"component": target.read_bytes(), "input": content})
    return Workload(f"{SELF_COMPONENT}.wasm", "self", 8, builder.closed_component("page-report", path, request),
                    component=target, content=builder.input_file("page-report", content))


def components(builder, folder, wanted):
    """The components that the folder holds, closed over their inputs, and notes on those left out."""
    found, notes = [], []
    for name, (group, units, make, kind) in COMPONENTS.items():
        if wanted and name not in wanted:
            continue
        path = folder / f"{name}.wasm"
        if not path.exists():
            notes.append(f"component {name}: not built (build the examples, or name their folder with --components)")
            continue
        content = make()
        module = builder.closed_component(name, path, content)
        found.append(Workload(f"{name}.wasm", group, units, module, f"{kind}, {len(content):,} bytes" if content else kind,
                              component=path, content=builder.input_file(name, content) if content else None))
    return found, notes
