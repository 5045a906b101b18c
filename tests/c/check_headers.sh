#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_headers.sh <include folder> <C compiler> <C++ compiler>...: each header of the C interface compiles alone as C99
# and C17, as C++98 and C++20, with every pair of compilers, and warns of nothing.
. "$(dirname "$0")/../support/begin.sh"
include=$1
shift
failed=0
count=0

# compiles <header> <c or cpp> <compiler> <flag>...: alone, and twice.
compiles() {
  header=$1
  source=$work/alone.$2
  shift 2
  printf '#include "heed/%s"\n#include "heed/%s"\nint main(void) { return 0; }\n' "$header" "$header" > "$source"
  "$@" -pedantic -Wall -Wextra -Wundef -Werror -I "$include" -I "$work" -S -o /dev/null "$source" > "$work/message" 2>&1
}

# check <header> <c or cpp> <compiler> <flag>...
check() {
  count=$((count + 1))
  if compiles "$@"; then return; fi
  failed=1
  echo "$*:"
  cat "$work/message"
}

# check_languages <header> <C compiler> <C++ compiler>
check_languages() {
  for standard in c99 c17; do check "$1" c "$2" -std=$standard -Wstrict-prototypes; done
  for standard in c++98 c++20; do check "$1" cpp "$3" -std=$standard; done
}

# refuse_dropped <c or cpp> <compiler> <flag>...
refuse_dropped() {
  if compiles dropped.h "$@" || ! grep -q 'unused[-_]result' "$work/message"; then
    failed=1
    echo "a status may be dropped: $*"
    cat "$work/message"
  fi
}

# The check itself: it sees a header that leans on another, one without a guard, and words that a language lacks.
mkdir "$work/heed"
echo 'HEED_ALIGNED static char arena[64];' > "$work/heed/leaning.h"
echo 'struct twice { int member; };' > "$work/heed/unguarded.h"
printf '#pragma once\nalignas(64) static char arena[64];\n' > "$work/heed/newer.h"
for spoilt in leaning unguarded newer; do
  if compiles $spoilt.h cpp "$2" -std=c++98; then
    failed=1
    echo "nothing was found wrong with a header that is $spoilt"
  fi
done

# A program that aligns an arena and makes views, besides.
cat > "$work/heed/program.h" << 'END'
#ifndef PROGRAM_H
#define PROGRAM_H
#include "heed/heed.h"
HEED_ALIGNED static unsigned char arena[64];
static float numbers[6];
heed_status run_attention(const heed_attention_plan* plan);
heed_status run_attention(const heed_attention_plan* plan) {
  static heed_attention_inputs inputs;
  static heed_attention_outputs outputs;
  inputs.query = heed_const_bhsd(numbers, 1, 1, 3);
  outputs.output = heed_bhsd(numbers, 1, 1, 3);
  return heed_attend(plan, arena, sizeof arena, &inputs, &outputs, NULL);
}
#endif
END

# A program that drops a status.
cat > "$work/heed/dropped.h" << 'END'
#ifndef DROPPED_H
#define DROPPED_H
#include "heed/heed.h"
void drop(heed_kv_cache* cache);
void drop(heed_kv_cache* cache) { heed_kv_cache_reset(cache, 0); }
#endif
END

while [ $# -ge 2 ]; do
  for path in "$include"/heed/*.h; do
    header=${path##*/}
    check_languages "$header" "$1" "$2"
  done
  check_languages program.h "$1" "$2"
  for standard in c99 c17; do refuse_dropped c "$1" -std=$standard; done
  for standard in c++98 c++20; do refuse_dropped cpp "$2" -std=$standard; done
  shift 2
done
# Functions that return a status are must-use, and what is written above them lists the others.
for path in "$include"/heed/heed*.h; do
  awk '/^\/\*/ { said = "" } { said = said $0 }
    /^heed_status / || (/^HEED_MUST_USE/ && said !~ /[Ss]tatuses/) { print FILENAME ": " $0 }' "$path"
done > "$work/silent"
if [ -s "$work/silent" ]; then
  failed=1
  echo "not must-use, or without its statuses:"
  cat "$work/silent"
fi

echo "$count compilations of a header alone"
exit $failed
