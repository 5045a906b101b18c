#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_image.sh <docs/models.md> <image's name> <command...>: the command prints what the page shows below the command
# that runs the image, but for figures of other compilers.
. "$(dirname "$0")/../support/begin.sh"
page=$1
image=$2
shift 2
awk -v folder="$work" -f "$(dirname "$0")/extract.awk" "$page"
block=$(grep -l "^[$] ctest .* -R $image\$\|^[$] cmake .* --target run_$image\$" "$work"/*.text)
grep -v '^\$ \|^    \|^models\.sh: ' "$block" > "$work/shown"
"$@" > "$work/printed" || { cat "$work/printed"; exit 1; }
awk -f "$(dirname "$0")/same_lines.awk" "$work/shown" "$work/printed"
echo "$(wc -l < "$work/printed") lines compared"
