#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_figures.sh: runs check_figures.py. Ends with 77 (skipped) without Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
[ -x $python ] || python=python3
command -v $python > /dev/null || { echo 'skipped: there is no Python 3'; exit 77; }
exec $python -B "$here/check_figures.py"
