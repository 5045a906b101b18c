# SPDX-License-Identifier: MIT
"""Figures beside what is committed in expected.tsv and beside the goals in goals.txt."""

import fnmatch
import pathlib
from dataclasses import dataclass
from typing import Optional

HERE = pathlib.Path(__file__).resolve().parent
# A row for each figure, a column for each preset; an empty place: there is no such figure.
EXPECTED = HERE / "expected.tsv"
GROWTH = 1.03
# Stacks of functions below this many bytes are compared, but not printed.
PRINTED_STACK = 512


@dataclass
class Figure:
    """What is measured and must not grow, and beside it how it compares, which a goal may be about."""

    name: str
    value: float
    ratio: Optional[float] = None
    unit: str = "bytes"


def comparison_of(figure):
    """How it compares, in words; empty if with nothing."""
    return "" if figure.ratio is None else f"{figure.ratio:.2f} {figure.unit}"


def goal_of(preset, figure):
    """(comparison, limit) from goals.txt, or none."""
    for line in (HERE / "goals.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        presets, names, comparison, limit = (word.strip() for word in line.split("|"))
        if fnmatch.fnmatchcase(preset, presets) and fnmatch.fnmatchcase(figure.name, names):
            return comparison, float(limit)
    return None


def number(value):
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def read_table():
    """The presets, and {name: {preset: the value and how it compares}}."""
    header, *lines = (line.split("\t") for line in EXPECTED.read_text().splitlines())
    presets = header[1:]
    return presets, {line[0]: dict(zip(presets, line[1:])) for line in lines}


def read_rows(preset):
    """The tools that the committed figures come from, and {name: (value, how it compares)}."""
    tools, rows = None, {}
    for name, entries in read_table()[1].items():
        value, _, ratio = entries.get(preset, "").partition(" = ")
        if name == "tools":
            tools = value or None
        elif value:
            rows[name] = (float(value) if "." in value else int(value), ratio)
    return tools, rows


def read_expected(preset):
    """The tools that the committed figures come from, and {name: value}."""
    tools, rows = read_rows(preset)
    return tools, {name: value for name, (value, _) in rows.items()}


def print_table(preset, tools, figures, expected):
    """Prints every figure beside what is committed and beside its goal."""
    print(f"\n{preset} ({tools})")
    print(f"{'figure':58}{'measured':>10}{'committed':>11}   {'compared':26}goal")
    shallow = 0
    for figure in figures:
        if figure.name.startswith("stack, heed") and figure.value < PRINTED_STACK:
            shallow += 1
            continue
        compared = comparison_of(figure)
        goal = goal_of(preset, figure)
        verdict = ""
        if goal:
            sign, limit = goal
            reached = figure.value if figure.ratio is None else figure.ratio
            met = reached <= limit if sign == "<=" else reached >= limit
            verdict = f"{sign} {limit:g}, {'met' if met else 'missed'}"
        committed = number(expected[figure.name]) if figure.name in expected else "-"
        print(f"{figure.name:58}{number(figure.value):>10}{committed:>11}   {compared:26}{verdict}".rstrip())
    print(f"stack, {shallow} more public functions: below {PRINTED_STACK}")


def regressions(figures, expected):
    """A line for every figure that is not as it was promised."""
    for figure in figures:
        if figure.name not in expected:
            yield f"{figure.name}: nothing is committed, measured {number(figure.value)}"
        elif figure.value > expected[figure.name] * GROWTH:
            yield f"{figure.name}: committed {number(expected[figure.name])}, measured {number(figure.value)}"
    for name in expected.keys() - {figure.name for figure in figures}:
        yield f"{name}: committed {number(expected[name])}, not measured"


def commit(preset, tools, figures):
    """Makes the figures the ones to compare with."""
    presets, table = read_table()
    presets = sorted({*presets, preset})
    for entries in table.values():
        entries.pop(preset, None)
    table["tools"][preset] = tools
    for figure in figures:
        entry = f"{number(figure.value)} = {comparison_of(figure)}".removesuffix(" = ")
        table.setdefault(figure.name, {})[preset] = entry
    lines = [["figure", *presets]]
    lines += [[name, *(table[name].get(each, "") for each in presets)] for name in sorted(table) if any(table[name].values())]
    EXPECTED.write_text("".join("\t".join(line) + "\n" for line in lines))
