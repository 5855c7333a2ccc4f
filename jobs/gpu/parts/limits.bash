# Sourced by the parts: nothing that hangs may cost more than a part of its part's time, or what was measured before it.

# limit SECONDS: prints the seconds that something may take; fewer in a rehearsal, which run_parts.py --hurry divides all limits for.
limit() {
  local seconds=$(($1 / ${HURRY:-1}))
  echo $((seconds > 3 ? seconds : 3))
}

# limited SECONDS COMMAND...: ends the command after so many seconds, 0: with the part alone (124; 137 where it had to be killed). It stays in
# front: what ends the part ends the command too, and kills it 8 s later where it hangs.
limited() {
  timeout --foreground --kill-after=8 "$1" "${@:2}"
}

# settle STORE: what a run that was ended had measured is made a result, of which `run --resume` goes on.
settle() {
  [[ ! -d ${1%.h5}.journal ]] || "$BIN/plumbline" recover "${1%.h5}.journal" || true
}

# measure CAMPAIGN STORE [OPTION...]: runs a campaign until it ends, or is ended with the part (after WITHIN seconds, where that is set): exit
# code 75, as where it ends itself at what hangs. STORE is there all the same, with what was measured.
measure() {
  local status=0
  limited "${WITHIN:-0}" "$BIN/plumbline" run "$1" -o "$2" "${@:3}" || status=$?
  ((status == 0)) || settle "$2"
  ((status == 124 || status == 137)) && status=75
  return "$status"
}
