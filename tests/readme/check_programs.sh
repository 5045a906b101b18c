#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_programs.sh <source folder> <libheed.a> <c compiler> <c++ compiler> [flag...]: every program in README.md and
# docs/ compiles without a warning, ends with 0, and prints the text block below it, if there is one; a block without
# main() compiles. README's with packed weights is check_pack.sh's. A C program is linked by the C compiler: the library
# needs no C++ run time. A cross build sets HEED_EMULATOR.
. "$(dirname "$0")/../support/begin.sh"
source=$1
archive=$2
c_compiler=$3
cxx_compiler=$4
shift 4
flags=$*
. "$source/tests/readme/blocks.sh"
awk -v folder="$work" -f "$source/tests/readme/extract.awk" "$source/README.md" "$source"/docs/*.md

failed=0
programs=0
# report <block> <what>, with the log
report() {
  failed=$((failed + 1))
  echo "$1: the program $2"
  sed 's/^/  /' "$work/log"
}

# shellcheck disable=SC2086 # the emulator's options are meant to be split
run_program() { ${HEED_EMULATOR:-} "$work/program"; }

# compile <block's file> [argument...]
# shellcheck disable=SC2086 # the flags are meant to be split
compile() {
  case $1 in
    *.cpp) "$cxx_compiler" $flags -std=c++20 -Wall -Wextra -Werror -I "$source/include" "$@" ;;
    *) "$c_compiler" $flags -std=c11 -Wall -Wextra -Werror -I "$source/include" "$@" ;;
  esac > "$work/log" 2>&1
}

for file in "$work"/*.cpp "$work"/*.c; do
  if [ ! -f "$file" ] || grep -q '<weights\.h>' "$file"; then continue; fi
  programs=$((programs + 1))
  block=$(basename "${file%.*}")
  if ! grep -q '\<main(' "$file"; then
    compile "$file" -c -o "$work/object" || report "$block" 'does not compile'
  elif ! compile "$file" "$archive" -o "$work/program"; then
    report "$block" 'does not compile'
  elif ! run_program > "$work/output" 2> "$work/log"; then
    cat "$work/output" >> "$work/log"
    report "$block" 'fails'
  elif [ -f "${file%.*}.expected" ] && ! diff "${file%.*}.expected" "$work/output" > "$work/log"; then
    report "$block" 'prints something else than the block below it (<)'
  elif [ -f "${file%.*}.expected" ]; then
    ran "${file%.*}.expected"
  fi
  ran "$file"
done
echo "$programs programs, $failed failed"
[ $failed = 0 ] && [ $programs != 0 ]
