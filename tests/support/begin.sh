# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# How the tests in sh begin: . "$(dirname "$0")/../support/begin.sh". A folder of its own, $work, which ends with the
# test; bytes in the same order everywhere; and how a test runs something, fails, or is skipped.
set -eu
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fail <words>: with what the last `run` said
fail() {
  echo "$*"
  if [ -f "$work/log" ]; then cat "$work/log"; fi
  exit 1
}

# run <command...>, and show what it said only if it fails
run() { "$@" > "$work/log" 2>&1 || fail "fails: $*"; }

# said <pattern>: the last `run` did
said() { grep -q -- "$1" "$work/log" || fail "does not say '$1'"; }

skip() {
  echo "skipped: $*"
  exit 77
}

# needs <command>...: the test is skipped without them
needs() { for tool in "$@"; do command -v "$tool" > /dev/null || skip "there is no $tool"; done; }
