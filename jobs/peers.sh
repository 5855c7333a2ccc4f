#!/usr/bin/env bash
# Plumbline's ceilings beside those of its peers, measured in turn in one session: the best of all likwid-bench tests of a pattern, plain
# OpenMP loops, memcpy and memset, and CARM (carm-roofline of PyPI, in a virtual environment of its own; 300 s at most, in which it
# measures as many lines as it can, once each):
#
#   bash jobs/peers.sh                   a table of medians and ratios, from 5 rounds; about ten minutes on 2 cores
#   bash jobs/peers.sh --no-carm         without CARM
#   bash jobs/peers.sh --full -o F.json  and what takes long: ten runs that find the levels, the whole set's time, quick against full;
#                                        at most 15 minutes; -o keeps every value of every round
#   bash jobs/peers.sh --rounds 1 --only 'L1 load'
#
# It needs a built plumbline (build/bin/plumbline, or PLUMBLINE=path) and a C compiler; without likwid-bench (apt install likwid) its columns
# are empty. Exit code 0 whatever the speeds are; 1 when a program that measures fails; 2 for wrong use.
set -euo pipefail

python=/usr/bin/python3
[[ -x $python ]] || python=python3
exec "$python" -B "$(dirname "${BASH_SOURCE[0]}")/peers" "$@"
