#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_debian.sh <source folder> <build folder> <cmake> <cpack> <generator> <c compiler> <c++ compiler>: the .deb files
# that cpack makes of a build. dpkg-deb reads them, lintian has no error and no warning where it is installed, dpkg
# installs them into a folder of its own and takes them away again; from there the command runs, its manual page is the
# tree's, and a consumer builds by find_package and by pkg-config. Ends with 77 (skipped) where no .deb files are made.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
cmake=$3
cpack=$4
generator=$5
c_compiler=$6
cxx_compiler=$7
grep -q '^set(CPACK_GENERATOR ".*DEB' "$build/CPackConfig.cmake" || skip 'there is no dpkg-deb'

run "$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work"
version=$(sed -n 's/^project(heed VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
command=$(echo "$work"/heed_"$version"_*.deb)
library=$(echo "$work"/libheed-dev_"$version"_*.deb)
packages="$command $library"
python=
for package in "$work"/python3-heed_"$version"_*.deb; do
  if [ -e "$package" ]; then python=$package packages="$packages $package"; fi
done
for package in $packages; do
  run dpkg-deb --info "$package"
  said "^ Version: $version\$"
  said '^ Homepage: '
done
run dpkg-deb --info "$command"
said '^ Depends: .*libc6'
run dpkg-deb --contents "$command"
for file in bin/heed share/man/man1/heed.1.gz share/doc/heed/copyright share/doc/heed/changelog.gz; do
  said " ./usr/$file\$"
done
run dpkg-deb --contents "$library"
for file in heed.h heed.hpp libheed.a heed-config.cmake heed.pc; do said "/$file\$"; done
if [ -n "$python" ]; then
  run dpkg-deb --contents "$python"
  for file in __init__.py _declarations.py _build.py 'libheed_c.so.[0-9.]*'; do said "/dist-packages/heed/$file"; done
  run dpkg-deb --info "$python"
  said '^ Depends: .*python3-numpy'
  said '^ Depends: .*libc6'
fi
if command -v lintian > /dev/null; then
  # As somebody who is not root may read it.
  chmod 755 "$work"
  # shellcheck disable=SC2086 # a list of files
  lintian --no-cfg --allow-root --fail-on error,warning $packages > "$work/log" 2>&1 ||
    fail 'lintian complains'
  if grep -q '^[EW]:' "$work/log"; then fail 'lintian complains'; fi
else
  echo 'there is no lintian'
fi

root=$work/root
dpkg_root() {
  run env PATH="$PATH:/usr/sbin:/sbin" dpkg --root="$root" --force-depends --log="$work/dpkg.log" "$@"
}
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
  : > "$root/var/lib/dpkg/status"
  : > "$root/var/lib/dpkg/available"
  # shellcheck disable=SC2086 # a list of files
  dpkg_root --install $packages
else
  # Only root may give files to root.
  for package in $packages; do run dpkg-deb --extract "$package" "$root"; done
fi
run "$root/usr/bin/heed" --version
said "^heed $version "
run gzip -dc "$root/usr/share/man/man1/heed.1.gz"
cmp "$work/log" "$source/packaging/heed.1"

if [ -n "$python" ]; then
  for interpreter in /usr/bin/python3 python3; do
    "$interpreter" -c 'import numpy' 2> "$work/log" || continue
    run env PYTHONPATH="$root/usr/lib/python3/dist-packages" "$interpreter" -B -c 'import heed, numpy
print(heed.attend(*[numpy.ones((1, 2, 3, 4), "float32")] * 3).sum(), heed.version)'
    said "^24.0 $version\$"
    break
  done
fi

run "$cmake" -S "$source/tests/consumer" -B "$work/build" -G "$generator" -DCMAKE_C_COMPILER="$c_compiler" \
  -DCMAKE_CXX_COMPILER="$cxx_compiler" -DCMAKE_PREFIX_PATH="$root/usr" -DCONSUMER_LANGUAGES=C
run "$cmake" --build "$work/build"
run "$work/build/consumer_c"
if command -v pkg-config > /dev/null; then
  flags=$(PKG_CONFIG_LIBDIR=$(dirname "$(find "$root" -name heed.pc)") pkg-config --cflags --libs "heed = $version")
  # shellcheck disable=SC2086 # the flags are meant to be split
  run "$c_compiler" "$source/tests/consumer/plain.c" $flags -o "$work/program"
  run "$work/program"
else
  echo 'there is no pkg-config'
fi
if [ "$(id -u)" = 0 ]; then
  dpkg_root --purge heed libheed-dev ${python:+python3-heed}
  [ -z "$(find "$root/usr" -type f 2> /dev/null)" ] || fail 'files stay behind'
fi
echo "$(wc -c < "$command") and $(wc -c < "$library") bytes"
