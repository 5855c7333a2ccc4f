#!/usr/bin/env bash
# what: the machine, its GPU, and what the program sees of them
# seconds: 30
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
failed=()
# tell FILE COMMAND...: what cannot be told is said, and the rest goes on.
tell() {
  limited "$(limit 15)" "${@:2}" >"$1" || failed+=("${*:2}: ended with exit code $? and told nothing of use")
}
tell "$OUT/nvidia-smi.txt" nvidia-smi -q
tell /dev/stdout "$BIN/plumbline" --version
tell "$OUT/doctor.json" "$BIN/plumbline" doctor --json
tell /dev/stdout "$BIN/plumbline" doctor
tell "$OUT/kernels.txt" "$BIN/plumbline" list kernels
# Told here, first of all; the parts that count fail by it.
python3 "$(dirname "${BASH_SOURCE[0]}")/../counted.py" "$OUT/doctor.json" || [[ $? =~ ^[34]$ ]] || failed+=("what doctor told was not understood")
((${#failed[@]} == 0)) || { printf '%s\n' "${failed[@]}" && exit 1; }
