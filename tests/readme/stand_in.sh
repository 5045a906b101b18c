#!/bin/sh
# SPDX-License-Identifier: MIT
#
# stand_in.sh make <source folder> <build folder> <folder>: a copy in <folder>/heed, in which commands of the pages can
# run with <folder>/bin before the rest of PATH. The build stands for that of its own preset.
# stand_in.sh <command> [argument...]: what a command in bin does. One that exempt.txt has is not run; the script that it
# names must be one. CMake configures other presets where their compilers are, and says what it would build; ctest says
# what it would run: it fails if a preset, a folder, a target or a test is not there. Each of these leaves <folder>/not_run.
set -eu
name=$1
shift
exempt_words=$(dirname "$0")/exempt.txt

if [ "$name" = make ]; then
  build=$2
  folder=$3
  mkdir -p "$folder/bin" "$folder/heed/build"
  tar -cf - --exclude='./build*' --exclude=./.git -C "$1" . | tar -xf - -C "$folder/heed"
  toolchain=$(sed -n 's/^CMAKE_TOOLCHAIN_FILE:[A-Z]*=//p' "$build/CMakeCache.txt")
  preset=$(basename "${toolchain:-none}" .cmake)
  # On another processor its own preset is meant.
  for name in "$preset" x86_avx2-gcc; do
    [ -e "$folder/heed/build/$name" ] || ln -s "$build" "$folder/heed/build/$name"
  done
  for command in cmake ctest sh; do
    printf '#!/bin/sh\nSTAND_IN=%s REAL=%s exec /bin/sh %s %s "$@"\n' \
      "$folder" "$(command -v $command)" "$1/tests/readme/stand_in.sh" $command > "$folder/bin/$command"
    chmod +x "$folder/bin/$command"
  done
  exit 0
fi

not_run() { echo "$name $*" >> "$STAND_IN/not_run"; }

while IFS= read -r words; do
  case "$words" in '' | '#'*) continue ;; esac
  case "$name $* " in
    "$words "*)
      not_run "$*"
      if [ "$name" = sh ]; then exec /bin/sh -n "$1"; fi
      exit 0 ;;
  esac
done < "$exempt_words"

# has_no_compiler <preset>: it is left alone here.
has_no_compiler() { grep -qx "$1" "$STAND_IN/no_compiler" 2> /dev/null; }

case $name-${1:-} in
  cmake---preset)
    not_run "$*"
    [ ! -e "build/$2" ] || exit 0
    "$REAL" "$@" > "$STAND_IN/log" 2>&1 && exit 0
    if grep -q 'not found in the PATH\|is not a full path' "$STAND_IN/log"; then
      echo "$2" >> "$STAND_IN/no_compiler"
      exit 0
    fi
    cat "$STAND_IN/log"
    exit 1 ;;
  cmake---build)
    not_run "$*"
    folder=$2
    shift 2
    if [ "$folder" = --preset ]; then
      folder=build/$1
      shift
    fi
    ! has_no_compiler "$(basename "$folder")" || exit 0
    "$REAL" --build "$folder" "$@" -- -n > "$STAND_IN/log" 2>&1 || { cat "$STAND_IN/log"; exit 1; } ;;
  ctest-*)
    not_run "$*"
    folder=$2
    shift 2
    case $folder in build/*) ;; *) folder=build/$folder ;; esac
    ! has_no_compiler "$(basename "$folder")" || exit 0
    # From a folder of its own: the log in the build's is that of the ctest that runs this.
    mkdir -p "$STAND_IN/tests"
    echo "subdirs(\"$(cd "$folder" && pwd -P)\")" > "$STAND_IN/tests/CTestTestfile.cmake"
    "$REAL" --test-dir "$STAND_IN/tests" "$@" -N > "$STAND_IN/log" 2>&1 || { cat "$STAND_IN/log"; exit 1; }
    grep -q '^Total Tests: [1-9]' "$STAND_IN/log" || { echo "no test: ctest --test-dir $folder $*"; exit 1; } ;;
  *) exec "$REAL" "$@" ;;
esac
