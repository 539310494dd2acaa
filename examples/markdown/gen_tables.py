"""Writes tables.c: the character facts that markdown needs, taken from Python's own html.entities and unicodedata.

Named character references, punctuation and symbols outside ASCII (as ranges), and Unicode case folding (as runs with
one difference, and a list of the code points that fold to several).
Usage: gen_tables.py OUT.c
"""
import html.entities
import sys
import unicodedata


def entities():
    blob, offsets = bytearray(), []
    names = sorted((name[:-1], value) for name, value in html.entities.html5.items() if name.endswith(";"))
    for name, value in names:
        offsets.append(len(blob))
        for part in (name.encode(), value.encode()):
            blob.append(len(part))
            blob += part
    return blob, offsets


def punctuation():
    ranges = []
    for code in range(0x80, 0x110000):
        if unicodedata.category(chr(code))[0] not in "PS":
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


def folding():
    """Runs of [first, last, step, difference], and code points with their several folded ones."""
    runs, several = [], []
    for code in range(0x80, 0x110000):
        folded = chr(code).casefold() if not 0xD800 <= code < 0xE000 else chr(code)
        if folded == chr(code):
            continue
        if len(folded) > 1:
            several.append([code, *map(ord, folded), *[0] * (3 - len(folded))])
            continue
        difference = ord(folded) - code
        last = runs[-1] if runs else None
        if last and last[3] == difference and (code - last[1] == last[2] or last[0] == last[1] and code - last[1] <= 2):
            last[2] = code - last[1]
            last[1] = code
        else:
            runs.append([code, code, 1, difference])
    return runs, several


def rows(values, width=16):
    return "".join("    " + " ".join(f"{v}," for v in values[i:i + width]) + "\n" for i in range(0, len(values), width))


def main():
    blob, offsets = entities()
    ranges = punctuation()
    runs, several = folding()
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("// Written by gen_tables.py.\n#include \"text.h\"\n\n")
        out.write(f"const uint32_t md_entity_count = {len(offsets)};\n")
        out.write(f"const uint16_t md_entity_offsets[] = {{\n{rows(offsets)}}};\n")
        out.write(f"const uint8_t md_entities[] = {{\n{rows(blob, 24)}}};\n")
        out.write(f"const uint32_t md_punctuation_count = {len(ranges)};\n")
        out.write("const uint32_t md_punctuation[][2] = {\n" + "".join(f"    {{{a}, {b}}},\n" for a, b in ranges) + "};\n")
        out.write(f"const uint32_t md_fold_run_count = {len(runs)};\n")
        out.write("const struct md_fold_run md_fold_runs[] = {\n"
                  + "".join(f"    {{{a}, {b}, {s}, {d}}},\n" for a, b, s, d in runs) + "};\n")
        out.write(f"const uint32_t md_fold_several_count = {len(several)};\n")
        out.write("const uint32_t md_fold_several[][4] = {\n"
                  + "".join("    {" + ", ".join(map(str, row)) + "},\n" for row in several) + "};\n")


main()
