# SPDX-License-Identifier: MIT
"""mcdc.py <build folder>: what the programs that ran in a build with -fcoverage-mcdc have shown of the conditions in
decisions of two and more, in include/, runtime/ and ports/x86_avx2/: that each can change its decision alone. A decision
of a header or a template is compiled many times; a condition counts as covered that is covered in any copy. Prints the
decisions with conditions that are not, unless mcdc_exceptions.txt has them, and the sums; ends with 1 if there are any."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ("include/", "runtime/", "ports/x86_avx2/")


def programs(build):
    """What has run, but for the test that compiles the library again, otherwise."""
    for path in sorted((build / "tests").rglob("*")):
        if path.is_file() and os.access(path, os.X_OK) and path.suffix == "" and path.name != "changed_plan_test":
            yield path


def collect(build):
    """(file, first line, column, last line, column) of each decision: whether each condition is covered."""
    objects = [part for path in programs(build) for part in ("-object", str(path))]
    done = subprocess.run(["llvm-cov-19", "export", f"-instr-profile={build / 'mcdc.profdata'}", *objects],
                          check=True, capture_output=True, text=True)
    decisions = {}
    for function in json.loads(done.stdout)["data"][0]["functions"]:
        path = pathlib.Path(function["filenames"][0])
        if not path.is_relative_to(ROOT) or not str(path.relative_to(ROOT)).startswith(FOLDERS):
            continue
        for first, column, last, end, *_, covered in function["mcdc_records"]:
            place = (str(path.relative_to(ROOT)), first, column, last, end)
            known = decisions.get(place, [False] * len(covered))
            decisions[place] = [a or b for a, b in zip(known, covered, strict=True)]
    return decisions


def text_of(place):
    """The decision as one line."""
    name, first, column, last, end = place
    lines = (ROOT / name).read_text().splitlines()[first - 1 : last]
    lines[-1] = lines[-1][: end - 1]
    lines[0] = lines[0][column - 1 :]
    return " ".join(line.strip() for line in lines)


def read_exceptions():
    """(file, text of the decision) of those whose conditions no test can show."""
    pairs = []
    for line in (HERE / "mcdc_exceptions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, text = line.partition(": ")
            pairs.append((name, text))
    return pairs


def main():
    decisions = collect(pathlib.Path(sys.argv[1]).resolve())
    exceptions = read_exceptions()
    used = set()
    excepted = 0
    missing = 0
    total = sum(map(len, decisions.values()))
    for place, covered in sorted(decisions.items()):
        left = covered.count(False)
        if left == 0:
            continue
        text = text_of(place)
        if (place[0], text) in exceptions:
            used.add((place[0], text))
            excepted += left
            continue
        missing += left
        numbers = ", ".join(str(i + 1) for i, shown in enumerate(covered) if not shown)
        print(f"{place[0]}:{place[1]}: condition {numbers} of {len(covered)}: {text}")
    for name, text in sorted(set(exceptions) - used):
        print(f"mcdc_exceptions.txt: covered, or not there: {name}: {text}")
    covered = total - missing - excepted
    print(f"conditions: {covered} of {total}, {100 * covered / max(total, 1):.2f} %, in {len(decisions)} decisions; "
          f"{excepted} are listed, {missing} are not")
    sys.exit(0 if total and missing == 0 else 1)


main()
