#!/usr/bin/env bash
# what: a program by others under plumbline profile --gpu: PyTorch, with products of cuBLAS's and convolutions of cuDNN's
# seconds: 60
set -uo pipefail
if ! python3 -c 'import torch, sys; sys.exit(None if torch.cuda.is_available() else "it sees no GPU")' 2>"$OUT/import.txt"; then
  echo "python3 has no PyTorch for this GPU: $(tail -n 1 "$OUT/import.txt")" && exit 77
fi
exec python3 "$(dirname "${BASH_SOURCE[0]}")/../torch_agreement.py" "$BIN/plumbline" "$RESULTS/gpu_ceilings.h5" "$OUT"
