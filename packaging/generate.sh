#!/bin/sh
# SPDX-License-Identifier: MIT
#
# generate.sh [folder]: writes what follows from CMakeLists.txt, runtime/CMakeLists.txt and CHANGELOG.md: the version in
# include/heed/heed_types.h and docs/packaging.md, and the manifests for package managers of firmware; into the tree,
# or into a folder that then holds these files alone. A test compares.
exec python3 -B "$(dirname "$0")/generate.py" "$@"
