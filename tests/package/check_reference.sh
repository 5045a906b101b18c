#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_reference.sh <source folder>: doxygen has nothing to warn of, and the reference has the interface in it. Ends
# with 77 (skipped) without doxygen.
. "$(dirname "$0")/../support/begin.sh"
source=$1
needs doxygen
cd "$source"
{ cat packaging/Doxyfile; echo "OUTPUT_DIRECTORY=$work"; } | doxygen - > "$work/log" 2>&1 || {
  echo 'doxygen warns'
  head -n 40 "$work/log"
  exit 1
}
for name in MultiHeadAttention KvCache heed_attend heed_plan_multi_head; do
  grep -rqw "$name" "$work"/html/*.html || fail "the reference has no $name"
done
# Comments of C++, and of C before a declaration and behind it.
text=$(cat "$work"/html/heed__attention_8h.html "$work"/html/namespaceheed.html \
  "$work"/html/structheed_1_1AttentionConfig.html | sed 's/<[^>]*>//g' | tr '\n' ' ' | tr -s ' ')
for part in 'bytes of scratch per worker to aim for' 'Which keys a query may see' 'all of them'; do
  case $text in *"$part"*) ;; *) echo "the reference does not say: $part"; exit 1 ;; esac
done
echo "$(find "$work/html" -name '*.html' | wc -l) pages"
