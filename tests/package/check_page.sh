#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_page.sh <source folder> <build folder>: the commands of docs/packaging.md run, in its order, and leave what it
# says. The build is there already and stands for those of all presets that the page names, because what a command needs
# of another target is tested with that target.
. "$(dirname "$0")/../support/begin.sh"
source=$(cd "$1" && pwd)
build=$2
. "$source/tests/readme/blocks.sh"
mkdir "$work/blocks" "$work/bin" "$work/heed" "$work/heed/build"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/docs/packaging.md"

for entry in "$source"/*; do
  case $(basename "$entry") in build) ;; *) ln -s "$entry" "$work/heed" ;; esac
done
sed -n 's/^cmake --preset \([a-z0-9_-]*\)$/\1/p' "$source/docs/packaging.md" > "$work/presets"
while read -r preset; do ln -s "$build" "$work/heed/build/$preset"; done < "$work/presets"
cat > "$work/bin/cmake" << SH
#!/bin/sh
case \$1 in --preset | --build) ;; *) exec $(command -v cmake) "\$@" ;; esac
SH
chmod +x "$work/bin/cmake"

cd "$work/heed"
count=0
find "$work/blocks" -name '*.sh' | sed 's|.*/||' | sort -t. -k3n > "$work/order"
while read -r block <&3; do
  outcome=ran
  while IFS= read -r line; do
    missing=
    case $line in
      *pkg-config*) command -v pkg-config > /dev/null || missing=pkg-config ;;
      *doxygen*) command -v doxygen > /dev/null || missing=doxygen ;;
      *python3*) command -v python3 > /dev/null || missing=python3 ;;
    esac
    if [ -n "$missing" ]; then echo "there is no $missing for: $line"; outcome=left; continue; fi
    PATH=$work/bin:$PATH sh -euc "$line" > "$work/log" 2>&1 || {
      echo "fails: $line"
      cat "$work/log"
      exit 1
    }
    count=$((count + 1))
  done < "$work/blocks/$block"
  $outcome "$work/blocks/$block"
done 3< "$work/order"
[ $count -ge 15 ]

# The packages that the page lists are those of an x86-64 Debian.
if [ "$(dpkg --print-architecture 2> /dev/null)" = amd64 ] && grep -q 'x86_avx2-gcc' "$build/CPackConfig.cmake"; then
  cat "$work"/blocks/packaging.md.*.expected | while read -r package _; do
    [ -f "build/packages/$package" ] || fail "cpack does not make $package"
  done
  ran "$work"/blocks/packaging.md.*.expected
else
  left "$work"/blocks/packaging.md.*.expected
fi
# Paths in the lines for other projects, which have heed beside them.
cat "$work"/blocks/packaging.md.*.cmake | sed -n 's|.*/\.\./heed\([a-z/-]*\)).*|.\1|p' > "$work/paths"
[ "$(wc -l < "$work/paths")" = "$(cat "$work"/blocks/packaging.md.*.cmake | wc -l)" ]
while read -r path; do [ -d "$source/$path" ] || fail "there is no $path"; done < "$work/paths"
ran "$work"/blocks/packaging.md.*.cmake
cd build/out
for file in all/bin/heed all/include/heed/heed.h sdk/include/heed/heed.h bin/bin/heed modules/heed/zephyr/module.yml \
  components/heed/idf_component.yml lib/heed/library.json libraries/heed/library.properties pack/heed.heed.pdsc; do
  [ -f $file ] || fail "there is no $file"
done
for folder in sdk/bin bin/include; do [ ! -e $folder ] || fail "there is a $folder"; done
echo "$count commands"
