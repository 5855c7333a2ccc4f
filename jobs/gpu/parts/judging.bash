# Sourced by the parts that count.

# judge STORE: leaves each counter's grade (score.json), those that proved right (counters.toml), and by them where the kernels lie under the
# roofs (show.json); where none proved right it is by the model, and show says so. Prints the tables.
judge() {
  local counters=()
  "$BIN/plumbline" score "$1" --json >"$OUT/score.json"
  "$BIN/plumbline" score "$1"
  if "$BIN/plumbline" score "$1" --choose "$OUT/counters.toml" --json >"$OUT/choice.json" 2>"$OUT/choice.txt"; then
    counters=(--counters "$OUT/counters.toml")
  fi
  "$BIN/plumbline" show "$1" ${counters[@]+"${counters[@]}"} --json >"$OUT/show.json"
  "$BIN/plumbline" show "$1" ${counters[@]+"${counters[@]}"}
}
