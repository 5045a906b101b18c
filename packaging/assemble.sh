#!/bin/sh
# SPDX-License-Identifier: MIT
#
# assemble.sh <manager> <folder> [<core>=<libheed.a>...]: a new folder that holds heed as the manager wants it, with the
# manager's files at its root and everything that they name:
#   zephyr       a module              esp-idf     a component, which is to be called heed
#   platformio   a library             cmsis-pack  what is in a .pack file
#   arduino      a library of archives that are compiled already, because a sketch has no C++20 and no flags of a
#                library's own. <core> is where Arduino looks: cortex-m0plus, cortex-m4/fpv4-sp-d16-hard, esp32c3
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 2 ]; then
  echo 'assemble.sh: a manager and a folder are needed; the head of the script lists the managers' >&2
  exit 2
fi
manager=$1
folder=$2
shift 2
if [ -e "$folder" ]; then
  echo "assemble.sh: $folder is there already" >&2
  exit 2
fi

copy_sources() {
  # What a link leads to, and never the link: what is removed here is a copy.
  mkdir "$folder/include" "$folder/runtime" "$folder/ports"
  cp -R "$root/include/." "$folder/include"
  cp -R "$root/runtime/." "$folder/runtime"
  rm "$folder/runtime/CMakeLists.txt"
  cp "$root"/ports/*.hpp "$folder/ports"
  for port in scalar arm_m arm_mve arm_m3 arm_m0 riscv_f riscv_i single_floats soft_floats long_products; do
    mkdir "$folder/ports/$port"
    cp -R "$root/ports/$port/." "$folder/ports/$port"
  done
}

# What a port inherits, in the port's own folder: the last that is copied there is what an include path finds first.
join_ports() {
  for port in arm_m arm_mve arm_m3 arm_m0; do
    inherits=$(sed -n 's/^set(heed_port_inherits \(.*\))$/\1/p' "$root/ports/$port/port.cmake")
    reversed=$port
    for inherited in $inherits; do reversed="$inherited $reversed"; done
    for from in $reversed; do
      for kind in kernels detail; do
        [ ! -d "$root/ports/$from/$kind" ] || cp -R "$root/ports/$from/$kind" "$folder/ports/$port"
      done
    done
  done
}

case $manager in
  zephyr | esp-idf | platformio | cmsis-pack) ;;
  arduino) [ $# != 0 ] || { echo 'assemble.sh: arduino needs <core>=<libheed.a>' >&2; exit 2; } ;;
  *) echo "assemble.sh: no such manager: $manager" >&2; exit 2 ;;
esac
mkdir -p "$folder"
cp "$root/LICENSE" "$root/CHANGELOG.md" "$root/README.md" "$folder"
case $manager in
  zephyr)
    copy_sources
    cp -R "$root/packaging/zephyr" "$folder"
    mkdir "$folder/samples"
    cp "$root"/packaging/samples/layer.* "$folder/samples"
    ;;
  esp-idf)
    copy_sources
    cp "$root"/packaging/esp-idf/* "$folder"
    ;;
  platformio)
    copy_sources
    cp "$root/library.json" "$folder"
    mkdir "$folder/packaging"
    cp -R "$root/packaging/platformio" "$folder/packaging"
    ;;
  cmsis-pack)
    copy_sources
    join_ports
    cp -R "$root"/packaging/cmsis-pack/* "$folder"
    ;;
  arduino)
    mkdir "$folder/src"
    cp "$root/packaging/arduino/library.properties" "$folder"
    cp -R "$root/include/heed" "$folder/src"
    printf '/* SPDX-License-Identifier: MIT */\n#include "heed/heed.h"\n' > "$folder/src/heed.h"
    for pair in "$@"; do
      mkdir -p "$folder/src/${pair%%=*}"
      cp "${pair#*=}" "$folder/src/${pair%%=*}/libheed.a"
    done
    ;;
esac
