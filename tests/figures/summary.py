# SPDX-License-Identifier: MIT
"""The table in docs/figures.md, made from the committed figures."""

import re

from report import HERE, read_rows, read_table

PAGE = HERE.parent.parent / "docs" / "figures.md"
STACK = ("stack, heed::attend", "stack, heed::attend, stored cache", "stack, heed::MultiHeadAttention::decode",
         "stack, heed::MultiHeadAttention::decode, stored cache", "stack, heed::Model::prefill")
SHORT_RUNS = ("instructions, prefill, 64 queries and keys, head_dim 32", "instructions, decode, 64 keys, head_dim 32")
LONG_RUNS = ("instructions, prefill, 512 queries and keys, head_dim 64", "instructions, decode, 2048 keys, head_dim 64")


def sizes(*features):
    """The names of figures."""
    return [f"code and constants, {feature}, -Os" for feature in features]


def entry(rows, name):
    """The entry of a figure; the bound of a variant that needs no more stack is that of what it varies."""
    return rows.get(name) or rows.get(name.removesuffix(", stored cache"))


def cell(rows, *names, ratio=False):
    """The values of some figures, or how they compare, separated by slashes; empty without one of them."""
    entries = [entry(rows, name) for name in names]
    if None in entries:
        return ""
    return " / ".join(compared.split()[0] if ratio else str(value) for value, compared in entries)


def joined(cells):
    """A row of a table."""
    return re.sub(" +", " ", "| " + " | ".join(cells) + " |")


def target_row(preset):
    """The row of one target."""
    rows = read_rows(preset)[1]
    loops = {name.split(", ")[-1]: row for name, row in rows.items() if name.startswith("cycles")}
    shares = {core.removeprefix("cortex-"): float(row[1].split()[0]) for core, row in loops.items()}
    return joined([
        f"`{preset}`",
        cell(rows, *sizes("attention", "cache", "int8_cache")),
        cell(rows, *sizes("layer", "ring_layer", "int8_layer")),
        cell(rows, *sizes("model")),
        cell(rows, *STACK),
        cell(rows, *SHORT_RUNS, ratio=True),
        cell(rows, *LONG_RUNS, ratio=True),
        ", ".join(f"{core} {share:.0f}" for core, share in shares.items()),
    ])


def page_rows():
    """The rows that the page should have."""
    return [target_row(preset) for preset in read_table()[0]]


def write():
    """Puts these rows in the place of those that begin alike."""
    text = PAGE.read_text()
    for row in page_rows():
        label = re.escape(row.split(" | ")[0])
        text = re.sub(rf"^{label} \|.*$", row, text, flags=re.MULTILINE)
    PAGE.write_text(text)


def missing():
    """The rows that the page should have and has not."""
    lines = PAGE.read_text().splitlines()
    return [row for row in page_rows() if row not in lines]
