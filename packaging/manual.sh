#!/bin/sh
# SPDX-License-Identifier: MIT
#
# manual.sh <heed>: prints the manual page of the command, from what it says to --help. A test compares it with heed.1.
exec python3 -B "$(dirname "$0")/manual.py" "$@"
