#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_static_objects.sh <source folder> <nm> <compiler> <flag>...: static objects of every class of the library are
# zeros in .bss: none of them takes bytes of flash, and nothing runs before main.
set -eu
export LC_ALL=C
root=$1
nm=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$root/tests/archive/features/static_objects.cpp

# others <object>: "<name> <type>" of all that is not in .bss.
others() {
  "$nm" -P "$1" | awk '$2 != "B" { print "  " $1, $2 }'
}

for level in -O0 -Os; do
  "$@" -std=c++20 $level -I"$root/include" -c "$source" -o "$work/objects.o"
  others "$work/objects.o" > "$work/others"
  if [ -s "$work/others" ]; then
    echo "$source, $level: not zeros in .bss:"
    cat "$work/others"
    exit 1
  fi
  # As many as are declared.
  declared=$(grep -c '^heed::' "$source")
  found=$("$nm" -P "$work/objects.o" | wc -l)
  [ "$found" -eq "$declared" ] || { echo "$source, $level: $found objects of $declared"; exit 1; }
done
echo "$declared static objects, all of them zeros in .bss"

# The check itself: it sees an object that begins with a number.
printf '#include "heed/heed.hpp"\nheed::ModelConfig config{.input_dim = 1};\n' > "$work/spoilt.cpp"
"$@" -std=c++20 -I"$root/include" -c "$work/spoilt.cpp" -o "$work/spoilt.o"
others "$work/spoilt.o" | grep -q config || { echo "the check found nothing wrong with a configuration"; exit 1; }
