#!/usr/bin/env bash
# Everything that needs a GPU, from programs that were built elsewhere: installs and builds nothing, and needs neither MPI nor a network.
#
#   bash jobs/test.sh --gpu [--programs FOLDER] [--results FOLDER] [--seconds 480] [--only PART]... [--again PART]...
#
# FOLDER of programs: what jobs/gpu/bundle.sh packed, unpacked (bin, lib, share), or a build folder; build-ci where none is named.
# The work is cut into parts (jobs/gpu/parts, each with its own folder of results). One call takes as many as fit into its seconds;
# the next one goes on. A part that is done or begun is so for these very programs; for others it is begun anew, as are those named by
# --again; --only names those that this call takes. Of the machine's GPUs the first is measured, or those of CUDA_VISIBLE_DEVICES.
#
# Results: gpu-results in the folder where it is called, if --results names no other. A part that says "resumable" may run out of its time: it
# goes on next time, four times at most; one that "closes" sums up what there is by the end of every call.
#
# Exit codes: 0 all parts are done, or there is no GPU (said) · 1 a part failed · 2 wrong use · 75 parts remain: call again
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=""
results=gpu-results
seconds=480
parts_folder=$here/parts
again=()
only=()

usage() { sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

refuse() {
  printf 'gpu: %s\n' "$*" >&2
  exit 2
}

while (($# > 0)); do
  case $1 in
    --programs | --results | --seconds | --parts | --only | --again) (($# > 1)) || refuse "$1 needs a value; try --help" ;;&
    --programs) programs=$2 && shift ;;
    --results) results=$2 && shift ;;
    --seconds) seconds=$2 && shift ;;
    --parts) parts_folder=$2 && shift ;; # for the test of this script
    --only) only+=("$2") && shift ;;
    --again) again+=("$2") && shift ;;
    -h | --help) usage && exit 0 ;;
    *) refuse "unknown option '$1'; try --help" ;;
  esac
  shift
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || refuse "--seconds $seconds: a whole number of seconds is needed"
programs=${programs:-$here/../../build-ci}
[[ -x $programs/bin/plumbline ]] || refuse "no bin/plumbline in $programs; unpack what jobs/gpu/bundle.sh made, or build, and name the folder with --programs"
programs=$(cd "$programs" && pwd)
mkdir -p "$results" || refuse "cannot make the folder $results"
results=$(cd "$results" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# of PART WORD: what the part's own head says, "# WORD: ..."
of() { sed -n "s/^# $2: //p" "$parts_folder/$1.sh" | head -n 1; }

mapfile -t parts < <(cd "$parts_folder" && printf '%s\n' [0-9]*.sh | sed 's/\.sh$//')
# forget PART: that it is done or begun, and the result file that it would go on with ("keeps").
forget() {
  local store
  store=$(of "$1" keeps)
  rm -f "$results/$1/done" "$results/.goes-$1" "$results/.programs-$1"
  if [[ -n $store ]]; then rm -rf "${results:?}/$store" "$results/${store%.h5}.journal"; fi
}
known_part() { [[ -f $parts_folder/$2.sh ]] || refuse "$1 $2: there is no such part; there are: ${parts[*]}"; }
for part in "${only[@]}"; do known_part --only "$part"; done
for part in "${again[@]}"; do
  known_part --again "$part"
  forget "$part"
done
is_wanted() { ((${#only[@]} == 0)) || printf '%s\n' "${only[@]}" | grep -qxF "$1"; }

identity=$(cat "$programs/bin/plumbline" "$programs"/lib/libplumbline_cuda*.so 2>/dev/null | sha256sum | cut -c 1-16)
is_done() { [[ -f $results/$1/done && $(head -n 1 "$results/$1/done") == "$identity" ]]; }
# What is done says how it went: "passed 12 s" or "skipped: no ncu".
how() { sed -n 2p "$results/$1/done"; }

# Folders of cuBLAS and CUPTI that the loader does not know: of a toolkit, and of Python's packages, as PyTorch brings them.
libraries_here() {
  local folder
  for folder in "${CUDA_HOME:-/usr/local/cuda}"/{lib64,extras/CUPTI/lib64} \
    "$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))' 2>/dev/null)"/nvidia/*/lib; do
    if compgen -G "$folder/libcublasLt.so*" >/dev/null || compgen -G "$folder/libcupti.so*" >/dev/null; then echo "$folder"; fi
  done
}

# What was packed comes with libraries of its own, libstdc++ among them, and looks for others: for these programs alone, not for this machine's
# python, ncu or nvidia-smi, which may be newer.
wrap_programs() {
  local program known
  known=$(libraries_here | paste -sd :)
  mkdir "$scratch/bin"
  for program in "$programs"/bin/*; do
    if [[ ! -x $program ]]; then
      ln -s "$program" "$scratch/bin/"
      continue
    fi
    # shellcheck disable=SC2016 # the wrapper expands it
    printf '#!/bin/sh\nLD_LIBRARY_PATH="%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}%s" exec "%s" "$@"\n' "$programs/lib" "${known:+:$known}" "$program" \
      >"$scratch/bin/${program##*/}"
    chmod +x "$scratch/bin/${program##*/}"
  done
}

export PROGRAMS=$programs BIN=$programs/bin RESULTS=$results
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0} # a part's seconds are those of one GPU
if [[ -e $programs/lib/libstdc++.so.6 ]]; then wrap_programs && BIN=$scratch/bin; fi
export TESTS=$BIN # and the list of them
if [[ ! -e $BIN/gpu_tests.txt ]]; then TESTS=$programs/tests; fi # a build folder

# remains PART WHY: what was measured is kept; not for ever, for a part that never comes to its end.
most_goes=4
remains() {
  local goes=$(($(cat "$results/.goes-$1" 2>/dev/null || echo 0) + 1))
  echo "$goes" >"$results/.goes-$1"
  ((goes < most_goes)) || failed+=("$1: $2, for the ${goes}th time")
  return 0
}

# needed PART: seconds that it takes, or to begin one that goes on another time.
least_go=120
needed() {
  local takes
  takes=$(of "$1" seconds)
  if [[ $(of "$1" resumable) == yes ]] && ((takes > least_go)); then takes=$least_go; fi
  echo "$takes"
}

# last_of_goes PART: empty where this is its first; the seconds are of one go alone.
last_of_goes() { if [[ -f $results/.goes-$1 ]]; then printf ', the last of %d goes' $(($(cat "$results/.goes-$1") + 1)); fi; }

# do_part PART SECONDS: runs it; notes that it is done, unless it failed. Not 0 where it goes on another time, which those after it wait for.
do_part() {
  local part=$1 limit=$2 folder=$results/$1 begin=$SECONDS status reason is_resumable=false
  if [[ $(of "$part" resumable) == yes ]]; then is_resumable=true; fi
  if $is_resumable && ((limit > 60)); then limit=$((limit - 20)); fi # until the case at hand is finished and written down
  [[ $(cat "$results/.programs-$part" 2>/dev/null) == "$identity" ]] || forget "$part" # others began it, and these could not go on
  rm -rf "$folder"
  mkdir -p "$folder"
  echo "$identity" >"$results/.programs-$part"
  printf '=== %s: %s\n' "$part" "$(of "$part" what)"
  (cd "$folder" && OUT=$folder timeout --kill-after=20 "$limit" bash "$parts_folder/$part.sh") >"$scratch/output" 2>&1
  status=$?
  tee "$folder/output.txt" <"$scratch/output"
  reason=$(tail -n 1 "$scratch/output")
  case $status in
    0) printf '%s\npassed, %d s%s\n' "$identity" $((SECONDS - begin)) "$(last_of_goes "$part")" >"$folder/done" ;;
    77) printf '%s\nskipped: %s\n' "$identity" "$reason" >"$folder/done" ;;
    75) remains "$part" "stopped early" && return 75 ;;
    124 | 137 | 143)
      if $is_resumable; then remains "$part" "not done after $limit s" && return 75; else failed+=("$part: not done after $limit s"); fi
      ;;
    *) failed+=("$part: exit code $status; see $folder/output.txt") ;;
  esac
  ((status == 0 || status == 77)) && rm -f "$results/.goes-$part"
  return 0
}

if [[ $parts_folder == "$here/parts" ]] && ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
  printf 'gpu: skipped: no NVIDIA GPU answers nvidia-smi on this machine; parts that remain: %s\n' "${parts[*]}"
  exit 0
fi

closes() { [[ $(of "$1" closes) == yes ]]; }

# close_with PART: it is done with all the others, and again where one of them was done again; until then it is only told.
close_with() {
  local other limit
  limit=$(of "$1" seconds)
  for other in "${parts[@]}"; do
    if closes "$other" || is_done "$other"; then continue; fi
    forget "$1"
    mkdir -p "$results/$1"
    printf '=== %s so far\n' "$1"
    OUT=$results/$1 timeout "$limit" bash "$parts_folder/$1.sh" 2>&1 | tail -n 60
    return
  done
  if $something_new || ! is_done "$1"; then do_part "$1" "$limit"; fi
}

failed=()
something_new=false
for part in "${parts[@]}"; do
  if closes "$part" || is_done "$part" || ! is_wanted "$part"; then continue; fi
  left=$((seconds - SECONDS))
  (($(needed "$part") <= left)) || break
  something_new=true
  do_part "$part" "$left" || break
done
for part in "${parts[@]}"; do
  if closes "$part"; then close_with "$part"; fi
done

echo
remaining=()
for part in "${parts[@]}"; do
  if is_done "$part"; then
    printf '  %-16s %s\n' "$part" "$(how "$part")"
  else
    remaining+=("$part")
    printf '  %-16s remains, about %s s: %s\n' "$part" "$(of "$part" seconds)" "$(of "$part" what)"
  fi
done
printf '  results: %s\n' "$results"
for one in "${failed[@]}"; do printf 'gpu: FAILED %s\n' "$one"; done
((${#failed[@]} == 0)) || exit 1
((${#remaining[@]} == 0)) && echo "gpu: all parts are done" && exit 0
printf 'gpu: %d of %d parts remain; the same command%s goes on with them\n' "${#remaining[@]}" "${#parts[@]}" \
  "${again[0]:+ without --again}${only[0]:+ without --only}"
exit 75
