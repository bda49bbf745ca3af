#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Rewrites the golden files of the lit tests with what the build in build/
# (or the folder given) prints.  Review and commit the difference by itself.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
KSIMD_REBASE=1 ctest --test-dir "$build" -R '^lit-' || :
git --no-pager diff --stat -- 'test/*/golden'
