#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_releases.sh <source folder>: no golden hash of a release in RELEASES.md has changed. The tests have each of them
# under its name, and each release's commit has just those that the page says, where git has it. The page's last release
# is the project's version. Ends with 77 (skipped) without python3.
. "$(dirname "$0")/../support/begin.sh"
needs python3
exec python3 -B "$(dirname "$0")/check_releases.py" "$1"
