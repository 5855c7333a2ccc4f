#!/usr/bin/env bash
# How much slower programs run under the emulated counters: known loops natively and under Valgrind's none, its cachegrind and our tool
# (counts alone, three cache levels, counting switched off), in turn, each round in random order; and the tool's own costs: start-up,
# reading a region, threads.
#
#   bash jobs/emulator_speed.sh                        a table of slow-downs and of our time in cachegrind's beside the goals; 3 rounds, about 3 minutes
#   bash jobs/emulator_speed.sh --rounds 5 --json F    more rounds; every value of every round in F
#   bash jobs/emulator_speed.sh --quick                one round of short measurements: half a minute
#   bash jobs/emulator_speed.sh --only 'Horner*'       some loops
#
# Times are CPU times that the loops read themselves, after a first sweep: start-up and translation are not in them, nor what neighbours take.
# It needs valgrind, gcc and the built tool (build/, build-ci/, or VALGRIND_LIB=folder). Exit code 0 whatever the speeds are; 1 when a
# program fails; 2 for wrong use.
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
python=/usr/bin/python3
[[ -x $python ]] || python=python3
PYTHONPATH=$here/peers exec "$python" -B "$here/emulator_speed" "$@"
