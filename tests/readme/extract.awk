# SPDX-License-Identifier: MIT
#
# awk -v folder=<folder> -f extract.awk <file.md>...: every block fenced as cpp, c, cmake, python or sh becomes
# <folder>/<file>.<line>.<language>, where <file> is the name without its folder and <line> is where the fence opens. A
# block fenced as text that follows one of them, with blank lines between them at most, becomes
# <folder>/<file>.<line>.expected; every other text block <folder>/<file>.<line>.text.
FNR == 1 {
  name = FILENAME
  sub(/^.*\//, "", name)
  previous = ""
}
fence != "" && /^```[[:space:]]*$/ {
  if (fence == "code") previous = file
  close(output)
  fence = ""
  next
}
fence != "" {
  print > output
  next
}
/^[[:space:]>]*(```|~~~)/ {
  language = substr($0, 4)
  gsub(/[[:space:]]/, "", language)
  if (language !~ /^(cpp|c|cmake|python|sh|text)$/) {
    print name ":" FNR ": a block that nothing checks: \"" language "\"" > "/dev/stderr"
    failed = 1
    exit 1
  }
  fence = "other"
  output = folder "/" name "." FNR "." language
  if (language != "text") {
    fence = "code"
    file = folder "/" name "." FNR
  } else if (previous != "") {
    output = previous ".expected"
  }
  printf "" > output
  previous = ""
  next
}
/[^[:space:]]/ { previous = "" }
END {
  if (!failed && fence != "") {
    print name ": a block is not closed" > "/dev/stderr"
    exit 1
  }
}
