#!/usr/bin/env bash
# what: the machine, its GPU, and what the program sees of them
# seconds: 30
set -euo pipefail
nvidia-smi -q >"$OUT/nvidia-smi.txt"
"$BIN/plumbline" --version
"$BIN/plumbline" doctor --json >"$OUT/doctor.json"
"$BIN/plumbline" doctor
"$BIN/plumbline" list kernels >"$OUT/kernels.txt"
