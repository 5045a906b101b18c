#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_includes.sh <source folder>: who may see whom. include/ sees itself and a few standard headers that a
# freestanding compiler has; a room of runtime/ sees include/, <port.hpp>, itself and the rooms below it, and of those
# above only the headers of what it calls through a table of functions; no two headers see each other. runtime/kernels/
# is what a port may replace: everybody includes it as <kernels/...>, where the port's file is found first, and each
# file of a port's kernels/ has a namesake there. A port sees neither runtime/ nor another port, but what it has in
# place of a kernel sees the kernels and common/kernel_contract.hpp. ports/single_floats/, ports/soft_floats/,
# ports/long_products/ and ports/..._integers/ hold kernels that ports share, which see the port that they are compiled
# for and its detail/, as a port's own detail/ may, and so does ports/single_operations.hpp;
# ports/boards/semihosting.cpp sees the call of the processor that it is compiled for. Nobody sees tests/, bench/,
# examples/ or tools/, but tests/fuzz/ sees what it gives malformed files to, tests/tools/ what it tests, and bench/ the
# command's threads, peaks, memory for weights and what it says that a model has to do; only ports/ knows an
# architecture. Every file says its licence.
. "$(dirname "$0")/../support/begin.sh"
set -f
cd "$1"
: > "$work/offences"

standard='array bit compare concepts cstddef cstdint limits span type_traits utility stdbool.h stddef.h stdint.h'
architectures='__(x86_64|i386|amd64|SSE|AVX|FMA|ARM|arm|aarch64|AARCH64|NEON|riscv|thumb|VFP)|_M_(X64|IX86|ARM)'
intrinsics='<(xsimd/[^>]*|[a-z]*intrin\.h|arm_(neon|mve|acle|cde|sve|sme|fp16|bf16|mfloat8)\.h|riscv_vector\.h)>|xsimd::|\b_mm[0-9]*_|\bv[a-z]+q?_f(16|32)\b'
intrinsics="$intrinsics"'|__builtin_(ia32|neon|arm)_|\basm\b *(volatile)? *\('
code='--include=*.cpp --include=*.hpp --include=*.c --include=*.h'

offend() { echo "$1: $2" >> "$work/offences"; }

# "<file> <include>" for every include in a folder; the include keeps its brackets or quotes.
includes_of() {
  [ -d "$1" ] || return 0
  grep -rE $code '^[[:space:]]*#[[:space:]]*include' "$1" | sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/ /'
}

is_standard() {
  for header in $standard; do
    if [ "$1" = "<$header>" ]; then return 0; fi
  done
  return 1
}

# Thousands of lines are looked at, so that what follows answers in a variable rather than from a subshell.
# beside <file> <path>: the path relative to the source folder, as the compiler finds it next to the file, in `found`.
beside() {
  found=${1%/*}/$2
  case $2 in *./*) found=$(realpath -m --relative-to=. "$found") ;; esac
}

# quoted <include>: its path without the quotes, or nothing, in `path`.
quoted() {
  path=
  case $1 in '"'*'"'*) path=${1#\"} path=${path%%\"*} ;; esac
}

# bare <include>: it without quotes or brackets, in `below`.
bare() {
  below=${1#[\"<]}
  below=${below%[\">]}
}

includes_of include | while read -r file name; do
  quoted "$name"
  if is_standard "$name"; then continue; fi
  case $path in heed/*) if [ -f "include/$path" ]; then continue; fi ;; esac
  offend "$file" "include/ may not see $name"
done

# The rooms of runtime/, from the lowest to the highest.
rooms='common kernels math format product positions attention options cache layer nn text transformer c'
# Formats, rings, pages and scales per channel are such tables, and these headers say what their functions take.
tables='product/gemm.hpp product/linear.hpp product/quantized_linear.hpp product/integer_linear.hpp cache/cache_parts.hpp cache/channel_scales.hpp cache/ring.hpp
  cache/key_readers.hpp cache/integer_values.hpp layer/sequences.hpp nn/activation.hpp'
# floor_of <room>: which from below it is, 0 for none, in `floor`.
floor_of() {
  floor=0
  for room in $rooms; do
    floor=$((floor + 1))
    if [ "$room" = "$1" ]; then return; fi
  done
  floor=0
}

includes_of runtime | while read -r file name; do
  quoted "$name"
  if is_standard "$name"; then continue; fi
  case $name in
    '<port.hpp>') continue ;;
    '"heed/'*) if [ -f "include/$path" ]; then continue; fi ;;
    '<kernels/'*'>' | '"'*/*)
      bare "$name"
      inner=${file#runtime/}
      floor_of "${inner%%/*}"
      own=$floor
      case $name in '"kernels/'* | *..*) own=0 ;; esac
      case " $(echo $tables) " in *" $below "*) own=99 ;; esac
      floor_of "${below%%/*}"
      if [ -f "runtime/$below" ] && [ "$floor" -le "$own" ]; then continue; fi
      ;;
  esac
  offend "$file" "this room may not see $name"
done

# An edge for every header that one of ours sees; tsort names the headers of a circle.
for folder in include runtime; do
  includes_of $folder | grep '\.hp*[[:space:]]*["<]' | while read -r file name; do
    bare "$name"
    if [ -f "runtime/$below" ]; then echo "$file runtime/$below"; fi
    if [ -f "include/$below" ]; then echo "$file include/$below"; fi
  done
done > "$work/edges"
tsort "$work/edges" > "$work/order" 2> "$work/circle" || offend "$(tr '\n' ' ' < "$work/circle")" 'headers see each other'

find ports -path 'ports/*/kernels/*' -type f | while read -r file; do
  if [ ! -f "runtime/kernels/${file##*/}" ]; then offend "$file" 'replaces no kernel: runtime/kernels/ has no such file'; fi
done
find runtime/kernels -type f ! -name '*.hpp' | while read -r file; do offend "$file" 'cannot be replaced by a port'; done

includes_of ports | while read -r file name; do
  port=${file#ports/}
  port=${port%%/*}
  quoted "$name"
  if is_standard "$name"; then continue; fi
  case $name in
    '<xsimd/'* | '<'*intrin.h'>' | '<arm_'*'.h>' | '<riscv_vector.h>') continue ;;
    '<port.hpp>') if [ -f "ports/$port/port.hpp" ] || [ ! -f "ports/$port/port.cmake" ]; then continue; fi ;;
    '<detail/'*'>') case $port in single_floats | soft_floats | single_operations.hpp | riscv_f | long_products | x86_* | neon_integers) continue ;; esac ;;
    '<kernels/'*'>' | '"common/kernel_contract.hpp"')
      bare "$name"
      case $file in ports/*/kernels/* | ports/*/detail/*) if [ -f "runtime/$below" ]; then continue; fi ;; esac
      ;;
    '"heed/'*) if [ -f "include/$path" ]; then continue; fi ;;
    '<cstdio>' | '<cstdlib>') case $file in ports/boards/host/*) continue ;; esac ;;
    '<semihosting_call.hpp>') if [ "$file" = ports/boards/semihosting.cpp ]; then continue; fi ;;
    '"'*)
      beside "$file" "$path"
      case $found in
        "ports/$port/"*) if [ -f "$found" ]; then continue; fi ;;
        ports/*/*) ;;
        ports/*) if [ -f "$found" ]; then continue; fi ;;
      esac
      ;;
    '<'*'.hpp>')
      bare "$name"
      if [ -f "ports/$below" ]; then continue; fi
      ;;
  esac
  offend "$file" "a port may not see $name"
done

# The folders at the end of the chain see themselves and the interface; tests see what they test. Of tools/ that is the
# readers of files, and the command for all else.
for folder in tests bench examples tools; do
  includes_of $folder | while read -r file name; do
    quoted "$name"
    case $name in
      '<tests/'* | '<bench/'* | '<examples/'* | '<tools/'*) offend "$file" "$folder/ may not see $name" ;;
      '"'*)
        beside "$file" "$path"
        case $found in
          "$folder/"*) if [ -f "${file%/*}/$path" ]; then continue; fi ;;
        esac
        case $path in *..*) ;; *)
          if [ -f "include/$path" ] || [ -f "$folder/$path" ]; then continue; fi
          if [ $folder = tests ] && [ -f "runtime/$path" ]; then continue; fi
          case $file in tests/fuzz/* | tests/tools/*) if [ -f "tools/$path" ]; then continue; fi ;; esac
          case $folder/$path in
            bench/support/thread_pool.hpp | bench/machine/machine.hpp | bench/machine/integer_peak.hpp) continue ;;
            bench/machine/limits.hpp | bench/support/weight_bytes.hpp | bench/tensors/model_work.hpp) continue ;;
          esac
          ;;
        esac
        offend "$file" "$folder/ may not see $name"
        ;;
    esac
  done
done

for folder in include runtime tests bench examples tools; do
  [ -d $folder ] || continue
  grep -rnE $code "^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)\b.*($architectures)" $folder |
    while IFS= read -r line; do offend "$line" 'an architecture outside ports/'; done
  grep -rnE $code "$intrinsics" $folder |
    while IFS= read -r line; do offend "$line" 'vector code outside ports/'; done
done

# Files of `heed pack` are as it writes them, which readme/check_generate.sh sees to.
find . \( -name .git -o -name 'build*' -o -path './examples/sums/sums_model.*' \) -prune \
  -o -type f \( -name '*.[ch]pp' -o -name '*.[chS]' -o -name '*.ld' -o -name '*.cmake' \
  -o -name CMakeLists.txt -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.in' \
  -o -path './.ci/*' -o -name .clang-tidy \) -print > "$work/files"
# A script has its licence in the second line: the first says who runs it. Tables that a script writes have any length.
tr '\n' '\0' < "$work/files" | xargs -0 awk '
  FNR <= 2 && /SPDX-License-Identifier: MIT/ { licence[FILENAME] = 1 }
  { lines[FILENAME] = FNR }
  END {
    for (i = 1; i < ARGC; ++i) {
      file = ARGV[i]
      if (!(file in licence)) print file ": no licence line"
      if (file !~ /^\.\/(include|runtime|ports)\// || file ~ /^\.\/runtime\/text\/unicode_[^\/]*\.cpp$/) continue
      if (lines[file] > 300) print file ": " lines[file] " lines, and 300 are enough"
    }
  }' >> "$work/offences"

echo "$(wc -l < "$work/files") files, $(wc -l < "$work/offences") offences"
cat "$work/offences"
[ ! -s "$work/offences" ]
