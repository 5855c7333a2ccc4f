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

# shards: prints by how many processes at once a test program may use the GPU: one for each two cores, eight at most, and one alone where the
# GPU is for one process.
shards() {
  local half=$(($(nproc) / 2))
  [[ $(timeout 20 nvidia-smi -i "${CUDA_VISIBLE_DEVICES%%,*}" --query-gpu=compute_mode --format=csv,noheader 2>/dev/null) == Default ]] || half=1
  echo $((half < 1 ? 1 : half > 8 ? 8 : half))
}

# sharded N FILE SECONDS COMMAND...: runs a test program of GoogleTest as N processes at once, each with its share of the tests; their outputs
# are the file. The exit code is of one that failed, else of one that hung, else 77 where something was skipped, or 0.
sharded() {
  local n=$1 file=$2 failed=0 hung=0 skipped=0 process status i started=()
  for ((i = 0; i < n; i++)); do
    GTEST_TOTAL_SHARDS=$n GTEST_SHARD_INDEX=$i limited "${@:3}" >"$file.$i" 2>&1 &
    started+=($!)
  done
  for process in "${started[@]}"; do
    status=0
    wait "$process" || status=$?
    case $status in
      0) ;;
      77) skipped=77 ;;
      124 | 137) hung=$status ;;
      *) failed=$status ;;
    esac
  done
  for ((i = 0; i < n; i++)); do cat "$file.$i" && rm "$file.$i"; done >"$file"
  for status in "$failed" "$hung" "$skipped"; do
    ((status == 0)) || return "$status"
  done
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
