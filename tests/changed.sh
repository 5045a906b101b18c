#!/bin/sh
# SPDX-License-Identifier: MIT
#
# changed.sh [revision]: the tests that the changes since a revision call for, by the paths of the changed files:
# HEAD without one, so what is not committed yet. Says what it chooses, and by which file. The rest of the gate is
# run.sh, all tests everything.sh. Ends as support/runner.sh says; with 0, too, if nothing is called for.
. "$(dirname "$0")/support/runner.sh"
. "$root/tests/support/presets.sh"
. "$root/tests/support/changes.sh"

revision=${1:-HEAD}
git rev-parse --verify --quiet "$revision^{commit}" > /dev/null ||
  { echo "changed.sh: $revision: no such revision here" >&2; exit 2; }
choose_since "$revision"
[ -n "$chosen_tests$chosen_presets$chosen_compiled" ] || exit 0
# shellcheck disable=SC2086
install_packages 'desktop tools tests' $chosen_packages
run_all changed_configurations; exit
