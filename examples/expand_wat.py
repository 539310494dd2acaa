"""Expands @repeat(N, "TEXT")@ in a WAT file into one string literal of N copies of TEXT.

The text format has no way to write a long uniform data segment; this is all that is added to it.
Usage: expand_wat.py IN.wat OUT.wat
"""
import re
import sys

source, target = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    text = file.read()
text = re.sub(r'@repeat\((\d+), "([^"]*)"\)@', lambda m: '"' + m[2] * int(m[1]) + '"', text)
with open(target, "w", encoding="utf-8") as file:
    file.write(text)
