#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_manual.sh <source folder> <heed>: the manual page has every command and option of the program, as
# packaging/manual.sh writes them, and the readers of manual pages that are there have nothing to warn of. Ends with 77
# (skipped) if none is there, or no python3.
. "$(dirname "$0")/../support/begin.sh"
source=$1
heed=$2
page=$source/packaging/heed.1
needs python3

sh "$source/packaging/manual.sh" "$heed" > "$work/heed.1"
diff -u "$page" "$work/heed.1" || fail 'run: sh packaging/manual.sh <heed> > packaging/heed.1'
# Counted without what the page was written with.
options=0
for command in '' $("$heed" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p'); do
  # shellcheck disable=SC2086 # no command is no argument
  options=$((options + $("$heed" $command --help | grep -c '^ \{2,6\}-[-h]')))
done
commands=$("$heed" --help | sed -n '/^Subcommands:/,$p' | grep -c '^  [a-z]')
# Each command's --help stands once, among the options of all.
[ "$(grep -c '^\\fB\\-' "$page")" = $((options - commands)) ] || {
  echo "the program has $options options, $commands of them --help; the page has $(grep -c '^\\fB\\-' "$page")"
  exit 1
}

readers=0
if command -v mandoc > /dev/null; then
  mandoc -Tlint -Wwarning "$page" || exit 1
  readers=$((readers + 1))
fi
if command -v groff > /dev/null && [ -n "$(find /usr/share/groff -name 'an.tmac' 2> /dev/null)" ]; then
  groff -ww -man -Tutf8 "$page" > "$work/text" 2> "$work/warnings"
  [ ! -s "$work/warnings" ] || { cat "$work/warnings"; exit 1; }
  readers=$((readers + 1))
fi
echo "$options options, read by $readers"
[ $readers != 0 ] || exit 77
