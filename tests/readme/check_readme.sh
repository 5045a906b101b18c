#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_readme.sh <source folder> <libheed.a> <c compiler> <c++ compiler> [flag...]: every program in README.md compiles
# without a warning, ends with 0, and prints the text block behind it, if there is one. A C program is linked by the C
# compiler: the library needs no C++ run time. Ends with 77 (skipped) if there is nothing to check. A cross build sets
# HEED_EMULATOR.
set -eu
source=$1
archive=$2
c_compiler=$3
cxx_compiler=$4
shift 4
if [ ! -f "$source/README.md" ]; then
  echo 'skipped: there is no README.md'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v folder="$work" -f "$source/tests/readme/extract.awk" "$source/README.md"

failed=0
programs=0
# fail <line> <what>, with the log
fail() {
  failed=$((failed + 1))
  echo "README.md:$1: the program $2"
  sed 's/^/  /' "$work/log"
}

# shellcheck disable=SC2086 # the emulator's options are meant to be split
run_program() { ${HEED_EMULATOR:-} "$work/program"; }

for file in "$work"/*.cpp "$work"/*.c; do
  [ -f "$file" ] || continue
  programs=$((programs + 1))
  line=$(basename "${file%.*}")
  case $file in
    *.cpp) compiler="$cxx_compiler" standard=c++20 ;;
    *) compiler="$c_compiler" standard=c11 ;;
  esac
  if ! "$compiler" -std=$standard -Wall -Wextra -Werror "$@" -I "$source/include" "$file" "$archive" -o "$work/program" \
    > "$work/log" 2>&1; then
    fail "$line" 'does not compile'
  elif ! run_program > "$work/output" 2> "$work/log"; then
    cat "$work/output" >> "$work/log"
    fail "$line" 'fails'
  elif [ -f "${file%.*}.expected" ] && ! diff "${file%.*}.expected" "$work/output" > "$work/log"; then
    fail "$line" 'prints something else than the block behind it (<)'
  fi
done
if [ $programs = 0 ]; then
  echo 'skipped: README.md holds no program'
  exit 77
fi
echo "$programs programs, $failed failed"
[ $failed = 0 ]
