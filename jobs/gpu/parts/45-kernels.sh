#!/usr/bin/env bash
# what: the same kernels by plumbline profile --gpu (CUPTI's kernel replay, in a program that knows nothing of it), beside the counts of part 40
# seconds: 40
# after: 40-validation
set -uo pipefail
[[ -f $RESULTS/40-validation/score.json ]] || { echo "part 40-validation has left no score.json: do it first" && exit 1; }
exec python3 "$(dirname "${BASH_SOURCE[0]}")/../kernel_agreement.py" "$BIN/plumbline" "$RESULTS/40-validation/score.json" "$OUT"
