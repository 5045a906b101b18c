# SPDX-License-Identifier: MIT
#
# awk -v folder=<folder> -f extract.awk README.md: every block fenced as cpp or c becomes <folder>/<line>.cpp or .c, where
# <line> is where its fence opens. A block fenced as text that follows it, with blank lines between them at most, becomes
# <folder>/<line>.expected.
fence != "" && /^```[[:space:]]*$/ {
  if (fence == "code") previous = file
  if (output != "") close(output)
  fence = ""
  output = ""
  next
}
fence != "" {
  if (output != "") print > output
  next
}
/^```/ {
  language = substr($0, 4)
  gsub(/[[:space:]]/, "", language)
  fence = "other"
  if (language == "cpp" || language == "c") {
    fence = "code"
    file = folder "/" NR
    output = file "." language
    printf "" > output
  } else if (language == "text" && previous != "") {
    output = previous ".expected"
    printf "" > output
  }
  previous = ""
  next
}
/[^[:space:]]/ { previous = "" }
END {
  if (fence != "") {
    print "a block is not closed" > "/dev/stderr"
    exit 1
  }
}
