# SPDX-License-Identifier: MIT
#
# awk -f same_lines.awk <page's lines> <printed lines>: they are the same, line by line, but that numbers of a line which
# begins with a figure's name may differ by 3 %, as another compiler's do. Ends with 1 and tells the first difference.
# numbers <text> <numbers>: their count, and the text without them
function numbers(text, found, n) {
  n = 0
  while (match(text, /[0-9]+(\.[0-9]+)?/)) {
    found[++n] = substr(text, RSTART, RLENGTH) + 0
    text = substr(text, 1, RSTART - 1) "#" substr(text, RSTART + RLENGTH)
  }
  found["text"] = text
  return n
}
function same(a, b, n, i, in_a, in_b) {
  if (a == b) return 1
  if (a !~ /^(instructions|flash) /) return 0
  n = numbers(a, in_a)
  if (numbers(b, in_b) != n || in_a["text"] != in_b["text"]) return 0
  for (i = 1; i <= n; ++i)
    if (in_b[i] > in_a[i] * 1.03 || in_b[i] < in_a[i] * 0.97) return 0
  return 1
}
NR == FNR { page[++lines] = $0; next }
{
  if (!same(page[++line], $0)) {
    print "the page shows: " page[line]
    print "printed:        " $0
    failed = 1
    exit 1
  }
}
END {
  if (!failed && (line != lines || lines == 0)) {
    print line + 0 " lines printed, " lines + 0 " on the page"
    exit 1
  }
}
