#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tests/run.sh has no time for: every test with every port and compiler, every case of the longest ones, the
# static analyzer, clang's memory sanitizer, and coverage. Ends with the sum, as run.sh does.
exec sh "$(dirname "$0")/run.sh" thorough
