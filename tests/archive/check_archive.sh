#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_archive.sh <libheed.a> <nm> <size> <objdump> [function...]: the archive needs three C functions, those of the
# compiler's run-time support that are named, and nothing else, holds no variable, runs nothing before main, and exports
# no name outside heed:: and heed_.
. "$(dirname "$0")/../support/begin.sh"
archive=$1
nm=$2
size=$3
objdump=$4
shift 4
failed=0

# report <what> <file>: the lines of the file, if there are any, offend.
report() {
  [ -s "$2" ] || return 0
  failed=1
  echo "$archive: $1:"
  sed 's/^/  /' "$2"
}

# Symbols as "<object> <name> <type>", without the objects' header lines.
"$nm" -A -P "$archive" | sed 's/^[^[]*\[\([^]]*\)\]: */\1 /' | awk '{ print $1, $2, $3 }' > "$work/symbols"
[ -s "$work/symbols" ] || fail "$archive: $nm lists no symbols"

# What no object of the archive defines. The linker itself makes the offset table of position-independent code.
awk '$3 ~ /^[A-TV-Zu]$/ { print $2 }' "$work/symbols" | sort -u > "$work/defined"
awk '$3 == "U" || $3 == "w" || $3 == "v" { print $2 }' "$work/symbols" | sort -u | comm -23 - "$work/defined" |
  grep -vx -e memcpy -e memmove -e memset -e _GLOBAL_OFFSET_TABLE_ > "$work/needed" || true
for function in "$@"; do echo "$function"; done | sort | comm -23 "$work/needed" - > "$work/undefined"
report "needs more than memcpy, memmove and memset${1:+, and the support that is named}" "$work/undefined"

# Every global and weak name: a C name with the prefix, or a mangled name whose outermost scope is heed.
awk '$3 ~ /^[A-TV-Zu]$/' "$work/symbols" |
  grep -vE '^[^ ]+ (heed_[A-Za-z0-9_]*|_Z(Z|GV)*N[rVKRO]*4heed[A-Za-z0-9_.]*) ' > "$work/names" || true
report 'exports a name outside heed:: and heed_' "$work/names"
awk '{ print $2 }' "$work/symbols" | grep -E '^_Z(Z|GV)*N[rVKRO]*5xsimd' > "$work/xsimd" || true
report 'has a function of xsimd out of line' "$work/xsimd"

# Variables, thread-local ones too, and what runs before main. Constants that hold addresses are relocated once, in
# .data.rel.ro, and cannot be written after that.
"$objdump" -h "$archive" | awk '
  /file format/ { object = $1 }
  $1 ~ /^[0-9]+$/ && $3 !~ /^0+$/ &&
    ($2 ~ /^\.(bss|tdata|tbss|init_array|fini_array|preinit_array|ctors|dtors|gcc_except_table)/ ||
     ($2 ~ /^\.data/ && $2 !~ /^\.data\.rel\.ro/)) { print object, $2, "0x" $3 }' > "$work/sections"
report 'holds variables, start-up code or exception tables' "$work/sections"
awk '$3 == "C"' "$work/symbols" > "$work/common"
report 'holds variables' "$work/common"

"$size" -t "$archive" | tail -n 1 | awk '{ print "code and constants " $1 + $2 " bytes, uninitialised " $3 }'
echo "needs: $(awk '$3 == "U" { print $2 }' "$work/symbols" | sort -u | comm -23 - "$work/defined" | tr '\n' ' ')"
exit $failed
