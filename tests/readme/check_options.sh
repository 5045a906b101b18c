#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_options.sh <docs/command.md> <heed>: every option in a table of the page headed "options of `heed COMMAND`" is
# one that the command's help has.
. "$(dirname "$0")/../support/begin.sh"
page=$1
heed=$2
awk '/^\| options of `heed /{ command = $5; gsub("`", "", command); next }
     !/^\|/ { command = "" }
     command != "" { while (match($0, /--[a-z][a-z0-9-]*/)) { print command, substr($0, RSTART, RLENGTH)
                                                          $0 = substr($0, RSTART + RLENGTH) } }' "$page" > "$work/options"
missing=0
while read -r command option; do
  [ -f "$work/$command" ] || "$heed" "$command" --help | tr -s ' ,' '\n\n' > "$work/$command"
  grep -qxF -e "$option" "$work/$command" || { echo "heed $command has no $option"; missing=$((missing + 1)); }
done < "$work/options"
echo "$(wc -l < "$work/options") options, $missing missing"
[ -s "$work/options" ] && [ "$missing" = 0 ]
