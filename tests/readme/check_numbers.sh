#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_numbers.sh <docs/figures.md> <heed>: runs every `heed plan ...` in a table row of the page and compares the totals
# that the row states, arena and packed weights, with those that the command prints.
. "$(dirname "$0")/../support/begin.sh"
page=$1
heed=$2
rows=$(sed -n 's/^| `heed plan \([^`]*\)` | \([0-9]*\) | \([0-9]*\) *|$/\2:\3:\1/p' "$page")
[ -n "$rows" ] || { echo "no table row of $page begins with a heed plan command" >&2; exit 1; }
wrong=0
count=0
while IFS=: read -r arena weights arguments; do
  # shellcheck disable=SC2086 # the arguments are meant to be split
  printed=$("$heed" plan $arguments)
  printed_arena=$(echo "$printed" | sed -n 's/^arena: \([0-9]*\) bytes in total$/\1/p')
  printed_weights=$(echo "$printed" | sed -n 's/^packed weights: \([0-9]*\) bytes in total$/\1/p')
  if [ "$arena" != "$printed_arena" ] || [ "$weights" != "$printed_weights" ]; then
    echo "heed plan $arguments: the page says $arena and ${weights:-nothing}, the command $printed_arena and" \
      "${printed_weights:-nothing}" >&2
    wrong=1
  fi
  count=$((count + 1))
done << ROWS
$rows
ROWS
echo "$count rows compared"
exit $wrong
