#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [--only FOLDER] [--seed S] [--sum]: whether the gate, tests/run.sh, is enough. Changes one token of the library,
# the command or the Python module at a time, 300 times, spread over folders. Each change is put to what the gate runs
# that can tell it: its core, and what it chooses by path. What that lets pass is put to what everything.sh has beside.
# Writes mutants.tsv, the list with who noticed which, and ends with 0 if the gate has noticed 95 % of what is noticed.
# Changes that nothing can notice are in survivors.txt, each below its reason.
# --sum only adds up. Not put to a change: the sanitizers, so that this is a lower bound, and images, packages and pages.
# Needs an x86-64 with AVX2 and what install.sh installs for all targets; works for hours in build/mutation, where a run
# that was interrupted goes on.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec python3 -B "$here/mutation.py" "$@"
