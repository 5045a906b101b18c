#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_style.sh format <source folder>: every C and C++ file is as clang-format leaves it, those that git does not
# track yet among them.
# check_style.sh tidy <source folder> <build folder> <port>: clang-tidy has nothing to say about runtime/ and what it
# includes, but for the static analyzer.
# check_style.sh analyze <source folder> <build folder> <port>: nor has that.
# Ends with 77 (skipped) where the tool is not installed.
. "$(dirname "$0")/../support/begin.sh"
manner=$1
source=$2
tool=clang-tidy
if [ "$manner" = format ]; then tool=clang-format; fi
needs $tool
cd "$source"

case $manner in
  format)
    # Without a repository, as in a source archive, everything counts that is not a build.
    list_files() {
      git ls-files -z --cached --others --exclude-standard '*.[ch]' '*.[ch]pp' 2> /dev/null ||
        find . \( -name .git -o -name 'build*' \) -prune -o -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \) -print0
    }
    list_files > "$work/files"
    [ -s "$work/files" ] || fail 'no file found'
    if command -v git > /dev/null; then
      git init -q "$work/repository"
      echo 'int   x;' > "$work/repository/new.cpp"
      [ "$(cd "$work/repository" && list_files | tr -d '\0')" = new.cpp ] || fail 'a file that git does not track is not seen'
    fi
    echo "$(tr -cd '\0' < "$work/files" | wc -c) files"
    xargs -0 clang-format --dry-run -Werror < "$work/files"
    ;;
  tidy | analyze)
    build=$3
    port=$4
    [ -f "$build/compile_commands.json" ] || fail "$build has no compile_commands.json"
    # What was compiled before is the other compiler's, and would hide an include that is missing.
    mkdir "$work/build"
    sed 's| -Winvalid-pch -include [^ ]*cmake_pch[^ ]*||' "$build/compile_commands.json" > "$work/build/compile_commands.json"
    build=$work/build
    # tidy <folder with compile_commands.json> <checks> <list of files>. The other compiler's warning options are none
    # of clang-tidy's business.
    tidy() {
      xargs -a "$3" -0 -n 1 -P 2 clang-tidy --quiet -p "$1" --checks="$2" --config-file=.clang-tidy \
        --header-filter='(include/heed|runtime|ports)/.*\.[hc]pp$' --extra-arg=-Wno-unknown-warning-option \
        >> "$work/log" 2>> "$work/errors" || failed=1
    }
    finish() {
      [ $failed = 0 ] && return
      grep -E '(error|warning): ' "$work/log" | sort -u
      grep -v 'warnings generated' "$work/errors" || true
      exit 1
    }
    failed=0
    # The headers take nearly all of the time. So the plain port's, which are short, stand for the build's, with which
    # some sources are looked at that see all of them; and all sources are looked at together, except where only the
    # functions of a file that is given count.
    inherits=$(sed -n 's/^set(heed_port_inherits \(.*\))$/\1/p' "ports/$port/port.cmake")
    sed "s|/ports/$port |/ports/scalar |g" "$build/compile_commands.json" > "$work/compile_commands.json"
    for folder in $inherits; do sed -i "s| -I[^ ]*/ports/$folder | |g" "$work/compile_commands.json"; done
    find runtime -name '*.cpp' -print0 | sort -z > "$work/files"
    if [ "$manner" = analyze ]; then
      tidy "$work" '-*,clang-analyzer-*,misc-unused-using-decls' "$work/files"
      finish
      exit 0
    fi
    mkdir "$work/together"
    tr '\0' '\n' < "$work/files" | sed "s|.*|#include \"$source/&\"|" > "$work/together/runtime.cpp"
    # What one file may name, another's shadows.
    sed "s|$source/runtime/options/bool_masks.cpp|$work/together/runtime.cpp|; s| -Wshadow||" \
      "$work/compile_commands.json" > "$work/together/compile_commands.json"
    printf '%s\0' "$work/together/runtime.cpp" > "$work/one"
    tidy "$work/together" '-clang-analyzer-*,-bugprone-suspicious-include' "$work/one"
    set -- runtime/options/bool_masks.cpp runtime/product/multiply.cpp runtime/product/integer_linear.cpp \
      runtime/format/short_floats.cpp
    printf '%s\0' "$@" > "$work/some"
    tidy "$build" '' "$work/some"
    finish
    command=$(sed -n 's|.*"command": "\(.*\) -o .*/bool_masks.cpp\.o -c .*|\1|p' "$build/compile_commands.json")
    for file in "$@"; do (cd "$build" && eval "$command -MM '$source/$file'"); done > "$work/seen"
    find "ports/$port" -name '*.hpp' > "$work/headers"
    while read -r header; do
      grep -q "$header" "$work/seen" || fail "no source is looked at that sees $header"
    done < "$work/headers"
    echo "$(tr -cd '\0' < "$work/files" | wc -c) files, $(wc -l < "$work/headers") headers of $port"
    ;;
esac
