#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The numbers of the mailing lists again, on this machine: AES-XTS on a device
# in memory by one and by many jobs, -O2 against -O3, and the price of a region
# inside a loop.  A table on the terminal, build/bench/lists.json for programs.
#
# usage: bench/lists.sh [-q]
#	-q	few rounds, to see whether it works
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/bench/lists
exec python3 bench/lists/lists.py "$@"
