# SPDX-License-Identifier: MIT
"""coverage.py <build folder>: what the programs that ran in a --coverage build have covered of include/, runtime/ and
ports/x86_avx2/: lines, and the ways that each branch can go. A line of a header or a template is compiled many times,
and counts as covered where it ran in any copy; branches of a copy are compared with those of copies that have as many.
Prints what is not covered and not in exceptions.txt, and the sums; ends with 1 if a line is missing, or more than 2 % of
the branches."""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ("include/", "runtime/", "ports/x86_avx2/")
GOAL = 98.0


def reports(build):
    """What gcov says of every object that has run."""
    data = sorted(str(path) for path in pathlib.Path(build).resolve().rglob("*.gcda"))
    # What checks its plans traps, and a program that ends so leaves no counts.
    data = [path for path in data if "/changed_plan_test.dir/" not in path]
    for first in range(0, len(data), 20):
        done = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout",
                               *data[first : first + 20]], check=True, capture_output=True, text=True)
        for report in done.stdout.splitlines():
            yield json.loads(report)


class Line:
    """One line of the source, in all copies of the code."""

    def __init__(self):
        self.count = 0
        self.copies = {}

    def add(self, count, branches):
        self.count += count
        taken = [branch["count"] > 0 for branch in branches if not branch["throw"]]
        if taken:
            known = self.copies.setdefault(len(taken), [False] * len(taken))
            self.copies[len(taken)] = [a or b for a, b in zip(known, taken)]

    def branches(self):
        """Of a line that is inlined several times in a function, the copies lie one behind the other."""
        if not self.copies:
            return []
        width = min(self.copies)
        taken = [False] * width
        for length, ways in self.copies.items():
            for index, way in enumerate(ways):
                if length % width == 0:
                    taken[index % width] = taken[index % width] or way
        return taken


def collect(build):
    lines = {}
    for report in reports(build):
        for source in report["files"]:
            path = pathlib.Path(report["current_working_directory"], source["file"]).resolve()
            if not path.is_relative_to(ROOT):
                continue
            name = str(path.relative_to(ROOT))
            if not name.startswith(FOLDERS):
                continue
            for line in source["lines"]:
                lines.setdefault((name, line["line_number"]), Line()).add(line["count"], line["branches"])
    return lines


def read_exceptions():
    """(file, text of the line) of what no test can reach."""
    pairs = []
    for line in (HERE / "exceptions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, text = line.partition(": ")
            pairs.append((name, text.strip()))
    return pairs


def main():
    lines = collect(sys.argv[1])
    exceptions = read_exceptions()
    used = set()
    total = {"lines": 0, "branches": 0}
    missing = {"lines": 0, "branches": 0}
    texts = {}
    for (name, number), line in sorted(lines.items()):
        texts.setdefault(name, (ROOT / name).read_text().splitlines())
        text = texts[name][number - 1].strip()
        # A bracket that ends a function has the code that leaves it, and is reached where a statement is.
        if re.fullmatch(r"[\]})>;,]*", text):
            continue
        ways = line.branches()
        total["lines"] += 1
        total["branches"] += len(ways)
        left = ways.count(False)
        if line.count != 0 and left == 0:
            continue
        if (name, text) in exceptions:
            used.add((name, text))
            total["lines"] -= line.count == 0
            total["branches"] -= left
            continue
        missing["lines"] += line.count == 0
        missing["branches"] += left
        what = "never runs" if line.count == 0 else f"{left} of {len(ways)} ways not taken"
        print(f"{name}:{number}: {what}: {text}")
    for name, text in sorted(set(exceptions) - used):
        print(f"exceptions.txt: covered, or not there: {name}: {text}")
    share = {}
    for what, count in total.items():
        share[what] = 100 * (count - missing[what]) / max(count, 1)
        print(f"{what}: {count - missing[what]} of {count}, {share[what]:.2f} %")
    print(f"{len(exceptions)} exceptions")
    sys.exit(0 if total["lines"] and missing["lines"] == 0 and share["branches"] >= GOAL else 1)


main()
