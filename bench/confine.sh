#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What "ksimd cc" and the confine pass cost: compile time beside plain
# clang-19, and throughput of the example confined beside unconfined.  A table
# on the terminal, build/bench/confine.json for programs.
#
# usage: bench/confine.sh [-q] [BUILD_FOLDER]
#	-q	few rounds, to see whether it works
#
# The kernel files are 20 of Linux 6.1's crypto folders, from the compilation
# database KSIMD_CDB or the one that linux.sh leaves in KSIMD_LINUX.
set -eu
cd "$(dirname "$0")/.."
exec python3 bench/confine/confine.py "$@"
