#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_instructions.sh <program>: how many instructions a run takes follows from its shape alone. Counts them with
# valgrind's callgrind, which runs every one itself, for several sets of data of each shape. Ends with 77 (skipped)
# where there is no valgrind, or none that knows this processor's instructions.
. "$(dirname "$0")/../support/begin.sh"
needs valgrind
# The linker finds every function before the first run.
export LD_BIND_NOW=1
if ! valgrind --tool=callgrind --callgrind-out-file="$work/counts" --toggle-collect=counted_run \
    --dump-after=counted_run "$1" > "$work/names" 2> "$work/log"; then
  if grep -q 'unhandled instruction\|Unrecognised instruction' "$work/log"; then
    skip 'valgrind does not know an instruction of this program'
  fi
  cat "$work/names" "$work/log"
  exit 1
fi
# counts.1, counts.2, ...: one for each run, in order.
number=0
while IFS= read -r name; do
  number=$((number + 1))
  printf '%s\t%s\n' "$(sed -n 's/^totals: *//p' "$work/counts.$number")" "$name"
done < "$work/names" > "$work/runs"
awk -F '\t' '
  $1 !~ /^[0-9]+$/ || $1 < 1000 { print $2 ": not counted: " $1; bad = 1 }
  { counts[$2] = counts[$2] " " $1 }
  !($2 in least) { order[++shapes] = $2; least[$2] = greatest[$2] = $1 }
  { if ($1 + 0 < least[$2] + 0) least[$2] = $1; if ($1 + 0 > greatest[$2] + 0) greatest[$2] = $1 }
  END {
    for (i = 1; i <= shapes; ++i) {
      name = order[i]
      spread = greatest[name] - least[name]
      printf "%s: %d instructions, spread %d\n", name, least[name], spread
      if (spread != 0) { bad = 1; print counts[name] }
    }
    printf "%d shapes, %d runs\n", shapes, NR
    exit bad || shapes < 10
  }' "$work/runs"
