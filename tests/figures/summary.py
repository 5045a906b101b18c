# SPDX-License-Identifier: MIT
"""The tables in README.md and docs/figures.md, made from the committed figures."""

import re

from report import HERE, read_rows, read_table

ROOT = HERE.parent.parent
README = ROOT / "README.md"
FIGURES = ROOT / "docs" / "figures.md"
# The columns of the table in README.md, in their order.
CORES = ("cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55", "armv7-linux", "aarch64-linux", "riscv64-linux",
         "riscv32-bare")
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
    """The row of one target in docs/figures.md."""
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


def readme_rows():
    """The rows of the table in README.md: a column for each core."""
    cores = [read_rows(f"{core}-gcc")[1] for core in CORES]
    return [
        joined(["flash, bytes: attention / over int8 / layer / over int8 / model",
                *(cell(rows, *sizes("attention", "int8_cache", "layer", "int8_layer", "model")) for rows in cores)]),
        joined(["stack, bytes: the same", *(cell(rows, *STACK) for rows in cores)]),
        joined(["instructions per FMA: prefill / decode", *(cell(rows, *SHORT_RUNS, ratio=True) for rows in cores)]),
    ]


def pages():
    """The rows that each page should have."""
    return {README: readme_rows(), FIGURES: [target_row(preset) for preset in read_table()[0]]}


def write():
    """Puts these rows in the place of those that begin alike."""
    for page, rows in pages().items():
        text = page.read_text()
        for row in rows:
            label = re.escape(row.split(" | ")[0])
            text = re.sub(rf"^{label} \|.*$", row, text, flags=re.MULTILINE)
        page.write_text(text)


def missing():
    """The rows that a page should have and has not."""
    return [row for page, rows in pages().items() for row in rows if row not in page.read_text().splitlines()]
