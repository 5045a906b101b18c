#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [--accept] [preset...]: prints a table for each target of what the library costs there: code, stack,
# instructions of a run, cycles of the inner loop on a model of the core. A figure that is more than 3 % above the
# committed one (expected.tsv) is a failure; --accept commits to what was measured. Nothing is installed here:
# `sh toolchains/install.sh figures cortex-m aarch64 armv7 riscv64 riscv64-rvv riscv32` brings the tools; a target
# without them is skipped, and the end is 77 if that was every one.
# run.sh --costs [--accept] preset...: the table from which `heed plan --core` estimates instructions (model_costs.tsv),
# beside what is counted; a Cortex-M4F takes a minute, a core without floats ten.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
[ -x $python ] || python=python3
for tool in $python cmake ninja cc; do
  command -v "$tool" > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
figures=figures.py
if [ "${1:-}" = --costs ]; then
  figures=model_costs.py
  shift
fi
exec $python -B "$here/$figures" "$@"
