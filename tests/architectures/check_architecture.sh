#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_architecture.sh <heed> <architecture>: check.py, with a Python that has numpy.
. "$(dirname "$0")/../support/begin.sh"
for python in /usr/bin/python3 python3; do
  if "$python" -c 'import numpy' 2> "$work/log"; then
    "$python" -B "$(dirname "$0")/check.py" "$@"
    exit
  fi
done
skip 'there is no Python with numpy'
