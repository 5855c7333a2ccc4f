#!/usr/bin/env bash
# what: one small file of what the other parts found, for tests/golden and for comparing machines
# seconds: 10
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/../reference.py" "$RESULTS" "$RESULTS/gpu_reference.json"
