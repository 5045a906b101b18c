#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [--count N] [--seed S] [--only FOLDER] [--quick]: changes one token of runtime/, ports/ or include/ at a time, N
# times (200), and runs a few quick tests on each, with the port that runs the line: each port's own where this machine
# or an emulator has it, the shared kernels with the scalar port, the rest with AVX2. Prints what the tests have not
# noticed, as a difference, and the sum; ends with 0 if they have noticed 95 % of those that survivors.txt does not
# explain. --quick asks firmware_check and port_check alone, in a tenth of the time: a lower bound. Needs an x86-64 with
# AVX2 and python3, and for the other ports what install.sh installs for them; works in build/mutation, where a run that
# was interrupted goes on.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec python3 -B "$here/mutation.py" "$@"
