#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_architecture.sh <heed> <architecture>: check.py, check_gguf.py, check_gguf_tokenizer.py or pack_memory.py, with
# a Python that has numpy.
. "$(dirname "$0")/../support/begin.sh"
script=check.py
case $2 in
  gguf | gguf_tokenizer) script=check_$2.py ;;
  memory) script=pack_memory.py && set -- "$1" ;;
esac
for python in /usr/bin/python3 python3; do
  if "$python" -c 'import numpy' 2> "$work/log"; then
    "$python" -B "$(dirname "$0")/$script" "$@"
    exit
  fi
done
skip 'there is no Python with numpy'
