# SPDX-License-Identifier: MIT
#
# awk -v most=<words> -f sentences.awk <file.md>...: prints each sentence of more words, with its place, and at last how
# many sentences there were. A paragraph, a heading, an item of a list and a cell of a table are each a text of its own.
# In a text only . ! and ? end a sentence; colons and semicolons do not. Blocks of code are no text; code within a line
# counts word by word, and ends no sentence.
function judge(text, place,    parts, count, words, total, first, code, i, j) {
  gsub(/\]\([^)]*\)/, "]", text)
  while (match(text, /`[^`]*`/)) {
    code = substr(text, RSTART + 1, RLENGTH - 2)
    gsub(/[.!?]/, "_", code)
    text = substr(text, 1, RSTART - 1) code substr(text, RSTART + RLENGTH)
  }
  count = split(text, parts, /[.!?]["')*\]]*[ \t]+/)
  for (i = 1; i <= count; ++i) {
    total = 0
    j = split(parts[i], words)
    first = words[1] " " words[2] " " words[3] " " words[4] " " words[5]
    for (; j > 0; --j) if (words[j] ~ /[A-Za-z0-9]/) ++total
    if (total > 0) ++sentences
    if (total > most) {
      print place ": " total " words: " first " ..."
      ++long
    }
  }
}
function end_text() {
  if (text != "") judge(text, place)
  text = ""
}
FNR == 1 { end_text(); fenced = 0; item = 0 }
/^[ \t>]*(```|~~~)/ { end_text(); fenced = !fenced; next }
fenced { next }
/^[ \t]*$/ { end_text(); next }
/^[^ \t]/ { item = 0 }
# Four columns make a block of code, but for the lines of a list's item.
/^(    |\t)/ && text == "" && !item { next }
/^[ \t]*\|/ {
  end_text()
  row = $0
  gsub(/\\\|/, " ", row)
  cells = split(row, cell, "|")
  for (c = 1; c <= cells; ++c) judge(cell[c], FILENAME ":" FNR)
  next
}
/^#/ { end_text(); judge($0, FILENAME ":" FNR); next }
/^[ \t]*([-*+]|[0-9]+[.)])[ \t]/ { end_text(); item = 1; sub(/^[ \t]*([-*+]|[0-9]+[.)])[ \t]+/, "") }
{
  if (text == "") place = FILENAME ":" FNR
  text = text " " $0
}
END {
  end_text()
  print sentences " sentences, " long + 0 " of more than " most " words"
  exit long + 0 > 0
}
