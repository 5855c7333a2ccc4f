#!/usr/bin/env bash
# what: the machine, its GPU, and what the program sees of them
# seconds: 30
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
failed=()
# tell FILE|- COMMAND...: what cannot be told is said, and the rest goes on. "-" is where the part itself prints: /dev/stdout would be opened
# anew where that is a file, and cut what was printed before.
tell() {
  if [[ $1 == - ]]; then
    limited "$(limit 15)" "${@:2}"
  else
    limited "$(limit 15)" "${@:2}" >"$1"
  fi || failed+=("${*:2}: ended with exit code $? and told nothing of use")
}
tell "$OUT/nvidia-smi.txt" nvidia-smi -q
tell - "$BIN/plumbline" --version
tell "$OUT/doctor.json" "$BIN/plumbline" doctor --json
tell - "$BIN/plumbline" doctor
tell "$OUT/kernels.txt" "$BIN/plumbline" list kernels
# Told here, first of all; the parts that count fail by it.
python3 "$(dirname "${BASH_SOURCE[0]}")/../counted.py" "$OUT/doctor.json" || [[ $? =~ ^[34]$ ]] || failed+=("what doctor told was not understood")
((${#failed[@]} == 0)) || { printf '%s\n' "${failed[@]}" && exit 1; }
