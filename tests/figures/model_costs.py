# SPDX-License-Identifier: MIT
"""model_costs.py [--accept] [--built] [--folder BUILD] PRESET...: runs the image model_costs on a core's emulator and
compares what it counts with the estimates of model_costs.tsv, from which `heed plan --core` has its instructions.
Ends with 1 if they are further off than a table may be. --accept writes the core's column anew: the coefficients are the
least squares of relative errors over all runs of a kind, none below 0. --built: BUILD/<preset> has the image already."""

import argparse
import pathlib
import subprocess
import sys

import figures

TABLE = pathlib.Path(__file__).resolve().parent / "model_costs.tsv"
TYPES = ("float32", "float16", "bfloat16", "int8", "int8_groups", "int4_groups", "int4", "int8_channels", "int16",
         "int8_multipliers", "int4_multipliers", "int8_integer")
# Of the runs of a kind, in the mean and at most.
MEAN_ERROR, MOST_ERROR = 0.08, 0.3
FIELDS = ("weights", "rows", "cache", "at_once", "blocks", "dim", "heads", "kv_heads", "mlp", "outputs", "keys",
          "layer_rows", "mlp_rows", "count")


def solve(matrix, right):
    """The solution of a system of linear equations, by elimination."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(rows[row][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for other in range(size):
            if other != i and rows[i][i] != 0:
                factor = rows[other][i] / rows[i][i]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[i])]
    return [rows[i][size] / rows[i][i] if rows[i][i] != 0 else 0.0 for i in range(size)]


def parts(run, decoding):
    """How often each part of the cost is in a row of a run, and what the run counted of them for a row. The head of an
    encoder is that of one row, so that its cost is known from decoding."""
    encoder = run["at_once"] > 1
    kind = "many" if encoder else "one"
    dim, mlp, blocks = run["dim"], run["mlp"], run["blocks"]
    keys_dim = dim // run["heads"] * run["kv_heads"]
    hidden = mlp if encoder else 2 * mlp
    layer = 2 * dim * dim + 2 * dim * keys_dim
    products = dim * hidden + mlp * dim
    rows = "floats" if TYPES[run["rows"]] == "float32" else "integers"
    product = f"product, {TYPES[run['weights']]} by {TYPES[run['rows']]}"
    counts = {
        f"{kind}, {product}": blocks * (layer + products),
        f"{kind}, output, {rows}": blocks * (3 * dim + 2 * keys_dim + hidden),
        f"{kind}, width, {rows}": blocks * dim,
        f"{kind}, activation, {rows}": blocks * mlp,
        f"{kind}, block, {rows}": blocks,
        f"{kind}, head, {rows}": blocks * run["heads"],
        f"{kind}, key number, {TYPES[run['cache']]}": 2 * run["keys"] * dim * blocks,
        f"{kind}, key, {TYPES[run['cache']]}": run["keys"] * run["heads"] * blocks,
    }
    head = {f"one, {product}": dim * run["outputs"], f"one, output, {rows}": run["outputs"]}
    if encoder:
        counts[f"many, weight, {product[9:]}"] = blocks * (layer / run["layer_rows"] + products / run["mlp_rows"])
        return counts, run["count"] - sum(decoding[name] * count for name, count in head.items()) / run["at_once"]
    for name, count in head.items():
        counts[name] += count
    return counts, run["count"]


def fit(equations):
    """The coefficients."""
    names = sorted({name for counts, _ in equations for name in counts})
    used = set(names)
    while True:
        kept = [name for name in names if name in used]
        shares = [[counts.get(name, 0) / total for name in kept] for counts, total in equations]
        matrix = [[sum(share[i] * share[j] for share in shares) for j in range(len(kept))] for i in range(len(kept))]
        values = solve(matrix, [sum(share[i] for share in shares) for i in range(len(kept))])
        if min(values) >= 0:
            break
        worst = min(range(len(kept)), key=lambda i: values[i] * max(share[i] for share in shares))
        used.remove(kept[worst])
    return {name: 0.0 for name in names} | dict(zip(kept, values))


def errors_of(equations, column):
    return [sum(column[name] * count for name, count in counts.items()) / total - 1 for counts, total in equations]


def read_runs(printed):
    """Row by row, and of many rows at once."""
    lines = [line.split()[1:] for line in printed.splitlines() if line.startswith("run ")]
    runs = [dict(zip(FIELDS, map(int, line), strict=True)) for line in lines]
    return [run for run in runs if run["at_once"] == 1], [run for run in runs if run["at_once"] > 1]


def is_near(what, errors):
    """Prints how far the estimates of a kind of runs are off."""
    mean = (sum(error * error for error in errors) / len(errors)) ** 0.5
    most = max(map(abs, errors))
    print(f"  {what}: {len(errors)} runs, error {100 * mean:.1f} % in the mean, {100 * most:.1f} % at most")
    return mean <= MEAN_ERROR and most <= MOST_ERROR


def read_table():
    """Column by column."""
    if not TABLE.exists():
        return {}
    head, *rows = (line.split("\t") for line in TABLE.read_text().splitlines())
    return {core: {row[0]: row[i] for row in rows} for i, core in enumerate(head) if i > 0}


def write_table(table):
    cores = sorted(table)
    names = sorted({name for column in table.values() for name in column})
    lines = [["instructions", *cores]] + [[name, *(table[core].get(name, "") for core in cores)] for name in names]
    TABLE.write_text("".join("\t".join(line) + "\n" for line in lines))


def count(preset, folder, built):
    """What the image prints."""
    target = figures.Target(preset, folder, built)
    if not built:
        figures.run("cmake", "--build", target.release, "--target", "model_costs")
    return figures.run(*target.emulator, target.release / "model_costs", stdin=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("presets", nargs="+")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--built", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=figures.ROOT / "build" / "figures")
    options = parser.parse_args()
    table = read_table()
    good = True
    for preset in options.presets:
        one, many = read_runs(count(preset, options.folder, options.built))
        if options.accept:
            found = fit([parts(run, {}) for run in one])
            found |= fit([parts(run, found) for run in many])
            table[preset] = {name: f"{value:.4g}" for name, value in found.items()}
            write_table(table)
        column = {name: float(value) for name, value in table[preset].items()}
        print(preset)
        for what, runs in (("row by row", one), ("many rows at once", many)):
            good = is_near(what, errors_of([parts(run, column) for run in runs], column)) and good
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except figures.Skipped as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
