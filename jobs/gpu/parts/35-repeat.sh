#!/usr/bin/env bash
# what: the GPU's ceilings by three processes, one after the other: how far they differ
# seconds: 50
set -euo pipefail
cat >"$OUT/repeat.toml" <<'CAMPAIGN'
schema = "plumbline-campaign/1"
name = "repeat"
passes = ["time"]
counters = "none"

[ceilings]
mode = "quick"
gpus = true
only = ["GPU *"]
rounds = 2
CAMPAIGN
for process in 1 2 3; do
  "$BIN/plumbline" run "$OUT/repeat.toml" -o "$OUT/$process.h5"
  "$BIN/plumbline" ceilings "$OUT/$process.h5" --json >"$OUT/$process.json"
done
exec python3 "$(dirname "${BASH_SOURCE[0]}")/../repeatability.py" "$OUT/repeatability.json" "$OUT"/[123].json
