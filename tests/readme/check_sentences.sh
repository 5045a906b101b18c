#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_sentences.sh <source folder>: no sentence of README.md has more than 25 words, and none of any other page of the
# tree more than 40. sentences.awk says what a sentence is.
. "$(dirname "$0")/../support/begin.sh"
sentences=$(cd "$(dirname "$0")" && pwd)/sentences.awk
cd "$1"
failed=0
awk -v most=25 -f "$sentences" README.md || failed=1
find . -name '*.md' ! -path './README.md' ! -path './build/*' ! -path './.*' | sed 's|^\./||' | sort > "$work/pages"
[ -s "$work/pages" ] || fail 'there are no pages'
# shellcheck disable=SC2046 # names without spaces
awk -v most=40 -f "$sentences" $(cat "$work/pages") || failed=1
exit $failed
