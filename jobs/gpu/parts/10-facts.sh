#!/usr/bin/env bash
# what: the machine, its GPU, and what the program sees of them
# seconds: 30
set -euo pipefail
nvidia-smi -q >"$OUT/nvidia-smi.txt"
"$BIN/plumbline" --version
"$BIN/plumbline" doctor --json >"$OUT/doctor.json"
"$BIN/plumbline" doctor
"$BIN/plumbline" list kernels >"$OUT/kernels.txt"
# Told here, first of all; the parts that count fail by it.
python3 "$(dirname "${BASH_SOURCE[0]}")/../counted.py" "$OUT/doctor.json" || [[ $? =~ ^[34]$ ]]
