#!/usr/bin/env bash
# what: the same kernels under Nsight Compute (ncu), a witness of NVIDIA's own: its counts beside ours
# seconds: 60
# after: 40-validation
set -uo pipefail
if ! command -v ncu >/dev/null; then echo "no ncu on PATH; it comes with the CUDA toolkit" && exit 77; fi
[[ -f $RESULTS/40-validation/score.json ]] || { echo "part 40-validation has left no score.json: do it first" && exit 1; }
exec python3 "$(dirname "${BASH_SOURCE[0]}")/../ncu_agreement.py" "$BIN/plumbline" "$RESULTS/40-validation/score.json" "$OUT"
