#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# AES-XTS of examples/aesni by gcc and clang-19, beside OpenSSL's and beside
# what the CPU can issue.  A table on the terminal, build/bench/xts.json for
# programs.
#
# usage: bench/xts.sh [-q]
#	-q	few rounds, to see whether it works
set -eu
cd "$(dirname "$0")/.."
exec python3 bench/xts/xts.py "$@"
