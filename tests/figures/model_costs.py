# SPDX-License-Identifier: MIT
"""model_costs.py PRESET PRINTED...: makes of what the image model_costs printed on a core its column of
model_costs.tsv, the table from which `heed plan --core` estimates instructions, and prints how far the estimate of each
run is off. The coefficients are the least squares of relative errors over all runs of a kind, none below 0."""

import pathlib
import sys

TABLE = pathlib.Path(__file__).resolve().parent / "model_costs.tsv"
TYPES = ("float32", "float16", "bfloat16", "int8", "int8_groups", "int4_groups", "int4", "int8_channels", "int16",
         "int8_multipliers", "int4_multipliers", "int8_integer")
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


def fit(runs, decoding):
    """The coefficients, and the relative error of each run."""
    equations = [parts(run, decoding) for run in runs]
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
    found = {name: 0.0 for name in names} | dict(zip(kept, values))
    errors = [sum(found[name] * count for name, count in counts.items()) / total - 1 for counts, total in equations]
    return found, errors


def coefficients(printed):
    """Those of the runs that an image printed."""
    lines = [line.split()[1:] for line in printed.splitlines() if line.startswith("run ")]
    runs = [dict(zip(FIELDS, map(int, line), strict=True)) for line in lines]
    found, errors = fit([run for run in runs if run["at_once"] == 1], {})
    more, others = fit([run for run in runs if run["at_once"] > 1], found)
    for what, all_errors in (("row by row", errors), ("many rows", others)):
        mean = (sum(error * error for error in all_errors) / len(all_errors)) ** 0.5
        print(f"  {what}: {len(all_errors)} runs, error {100 * mean:.1f} % in the mean, "
              f"{100 * max(map(abs, all_errors)):.1f} % at most")
    return found | more


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


def main(arguments):
    table = read_table()
    for preset, printed in zip(arguments[::2], arguments[1::2], strict=True):
        print(preset)
        found = coefficients(pathlib.Path(printed).read_text())
        table[preset] = {name: f"{value:.4g}" for name, value in found.items()}
    write_table(table)


if __name__ == "__main__":
    main(sys.argv[1:])
