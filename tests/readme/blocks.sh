# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For the tests of blocks, which check_blocks.sh runs after. Blocks are files as extract.awk writes them.
#   ran <block>...   this test has run them, or compared them with what was run
#   left <block>...  it could not, for want of a tool or of a model's weights
ran() { [ -z "${HEED_RAN_BLOCKS:-}" ] || cp "$@" "$HEED_RAN_BLOCKS"; }
left() { [ -z "${HEED_RAN_BLOCKS:-}" ] || cp "$@" "$HEED_RAN_BLOCKS/left"; }
