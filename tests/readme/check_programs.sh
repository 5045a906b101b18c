#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_programs.sh <source folder> <folder of packed_weights.h> <libheed.a> <c compiler> <c++ compiler> [flag...]: every
# program in README.md and docs/ compiles without a warning, ends with 0, and prints the text block below it, if there is
# one; a block without main() compiles. packed_weights.h is that of the example firmware, whose layer the README has. A C
# program is linked by the C compiler: the library needs no C++ run time. A cross build sets HEED_EMULATOR.
. "$(dirname "$0")/../support/begin.sh"
source=$1
weights=$2
archive=$3
c_compiler=$4
cxx_compiler=$5
shift 5
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
    *.cpp) "$cxx_compiler" $flags -std=c++20 -Wall -Wextra -Werror -I "$source/include" -I "$weights" "$@" ;;
    *) "$c_compiler" $flags -std=c11 -Wall -Wextra -Werror -I "$source/include" -I "$weights" "$@" ;;
  esac > "$work/log" 2>&1
}

for file in "$work"/*.cpp "$work"/*.c; do
  [ -f "$file" ] || continue
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
