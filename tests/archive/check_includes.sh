#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_includes.sh <source folder>: who may see whom. include/ sees itself and a few standard headers that a
# freestanding compiler has; runtime/ sees include/, itself and <port.hpp>; a port sees neither runtime/ nor another port,
# but what it has in place of a kernel sees the kernels; nobody sees tests/, bench/, examples/ or tools/; only ports/
# knows an architecture. Every file says its licence.
set -euf
export LC_ALL=C
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: > "$work/offences"

standard='array bit compare concepts cstddef cstdint limits span type_traits utility stdbool.h stddef.h stdint.h'
architectures='__(x86_64|i386|amd64|SSE|AVX|FMA|ARM|arm|aarch64|AARCH64|NEON|riscv|thumb|VFP)|_M_(X64|IX86|ARM)'
intrinsics='<(xsimd/[^>]*|[a-z]*intrin\.h|arm_[a-z]*\.h|riscv_vector\.h)>|xsimd::|\b_mm[0-9]*_|\bv[a-z]+q?_f(16|32)\b'
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

# The path of a quoted include, relative to the source folder, as the compiler finds it next to the file.
beside() { realpath -m --relative-to=. "$(dirname "$1")/$2"; }

# quoted <include>: its path without the quotes, or nothing.
quoted() { case $1 in '"'*'"'*) echo "$1" | sed 's/^"\([^"]*\)".*/\1/' ;; esac; }

includes_of include | while read -r file name; do
  path=$(quoted "$name")
  if is_standard "$name"; then continue; fi
  case $path in heed/*) if [ -f "include/$path" ]; then continue; fi ;; esac
  offend "$file" "include/ may not see $name"
done

includes_of runtime | while read -r file name; do
  path=$(quoted "$name")
  if is_standard "$name"; then continue; fi
  case $name in
    '<port.hpp>') continue ;;
    '<kernels/'*'>') if [ -f "runtime/$(echo "$name" | tr -d '<>')" ]; then continue; fi ;;
    '"'*'..'*) ;;
    '"heed/'*) if [ -f "include/$path" ]; then continue; fi ;;
    '"'*) if [ -f "$(dirname "$file")/$path" ] || [ -f "runtime/$path" ]; then continue; fi ;;
  esac
  offend "$file" "runtime/ may not see $name"
done

includes_of ports | while read -r file name; do
  port=$(echo "$file" | cut -d/ -f2)
  path=$(quoted "$name")
  if is_standard "$name"; then continue; fi
  case $name in
    '<xsimd/'* | '<'*intrin.h'>' | '<arm_'*'.h>' | '<riscv_vector.h>') continue ;;
    '<'*'_lanes.hpp>') if [ -f "ports/$(echo "$name" | tr -d '<>')" ]; then continue; fi ;;
    '<port.hpp>') if [ -f "ports/$port/port.hpp" ]; then continue; fi ;;
    '<kernels/'*'>')
      kernel=$(echo "$name" | tr -d '<>')
      if [ -f "ports/$port/$kernel" ]; then continue; fi
      case $file in ports/*/kernels/*) if [ -f "runtime/$kernel" ]; then continue; fi ;; esac
      ;;
    '"heed/'*) if [ -f "include/$path" ]; then continue; fi ;;
    '<cstdio>' | '<cstdlib>') case $file in ports/boards/host/*) continue ;; esac ;;
    '"'*)
      found=$(beside "$file" "$path")
      case $found in
        "ports/$port/"*) if [ -f "$found" ]; then continue; fi ;;
        ports/*/*) ;;
        ports/*) if [ -f "$found" ]; then continue; fi ;;
      esac
      ;;
  esac
  offend "$file" "a port may not see $name"
done

# The folders at the end of the chain see themselves and the interface; tests see what they test.
for folder in tests bench examples tools; do
  includes_of $folder | while read -r file name; do
    path=$(quoted "$name")
    case $name in
      '<tests/'* | '<bench/'* | '<examples/'* | '<tools/'*) offend "$file" "$folder/ may not see $name" ;;
      '"'*)
        case $(beside "$file" "$path") in
          "$folder/"*) if [ -f "$(dirname "$file")/$path" ]; then continue; fi ;;
        esac
        case $path in *..*) ;; *)
          if [ -f "include/$path" ] || [ -f "$folder/$path" ]; then continue; fi
          if [ $folder = tests ] && [ -f "runtime/$path" ]; then continue; fi
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

find . \( -name .git -o -name 'build*' \) -prune -o -type f \( -name '*.[ch]pp' -o -name '*.[chS]' -o -name '*.ld' \
  -o -name '*.cmake' -o -name CMakeLists.txt -o -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.in' \
  -o -path './.ci/*' -o -name .clang-tidy \) -print > "$work/files"
while IFS= read -r file; do
  # The second line of a script: the first says who runs it.
  if ! head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then offend "$file" 'no licence line'; fi
  case $file in
    ./include/* | ./runtime/* | ./ports/*)
      lines=$(wc -l < "$file")
      if [ "$lines" -gt 300 ]; then offend "$file" "$lines lines, and 300 are enough"; fi
      ;;
  esac
done < "$work/files"

echo "$(wc -l < "$work/files") files, $(wc -l < "$work/offences") offences"
cat "$work/offences"
[ ! -s "$work/offences" ]
