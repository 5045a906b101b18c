# SPDX-License-Identifier: MIT
"""The table in README.md: a row for each target, made from the committed figures."""

import re

from report import EXPECTED, HERE, read_rows

README = HERE.parent.parent / "README.md"


def cell(rows, *names, ratio=False):
    """The values of some figures, or how they compare, one behind the other; empty without the first."""
    if names[0] not in rows:
        return ""
    return " / ".join(rows[name][1].split()[0] if ratio else str(rows[name][0]) for name in names)


def row(preset):
    """The row of one target."""
    rows = read_rows(preset)[1]
    loops = {name.split(", ")[-1]: entry for name, entry in rows.items() if name.startswith("cycles")}
    shares = {core.removeprefix("cortex-"): float(entry[1].split()[0]) for core, entry in loops.items()}
    cells = [
        f"`{preset}`",
        cell(rows, *(f"code and constants, {feature}, -Os" for feature in ("attention", "cache", "layer"))),
        cell(rows, "stack, heed::attend", "stack, heed::MultiHeadAttention::decode"),
        cell(rows, "instructions, prefill, 64 queries and keys, head_dim 32",
             "instructions, decode, 64 keys, head_dim 32", ratio=True),
        cell(rows, "instructions, prefill, 512 queries and keys, head_dim 64",
             "instructions, decode, 2048 keys, head_dim 64", ratio=True),
        ", ".join(f"{core} {share:.0f}" for core, share in shares.items()),
    ]
    return re.sub(" +", " ", "| " + " | ".join(cells) + " |")


def write():
    """Puts the rows of the committed figures in the place of those in README.md."""
    text = README.read_text()
    for path in EXPECTED.glob("*.txt"):
        text = re.sub(rf"^\| `{path.stem}` \|.*$", row(path.stem), text, flags=re.MULTILINE)
    README.write_text(text)


def missing():
    """The rows that README.md should have and has not."""
    lines = README.read_text().splitlines()
    return [row(path.stem) for path in sorted(EXPECTED.glob("*.txt")) if row(path.stem) not in lines]
