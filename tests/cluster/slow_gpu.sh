#!/usr/bin/env bash
# slow_gpu.sh PLUMBLINE MPIEXEC MODULE_FOLDER NVML: of three hosts with two stand-in GPUs each, whose clocks are made up, one GPU takes twice as
# long. It is measured again beside the same GPU of the like nodes, and named with its node: exit code 3. Where it is like them in the second
# look, nobody is named. Where it breaks in a round, it is not measured again, and that is said.
# Runs on the login node of with_cluster.sh --nodes 3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run/lib" && cd "$PLUMBLINE_CLUSTER/run"
cp "$4" lib/libnvidia-ml.so.1
export PLUMBLINE_CUDA_MODULE_PATH=$3 LD_LIBRARY_PATH=$PWD/lib
export PLUMBLINE_STAND_IN_GPUS=2 PLUMBLINE_STAND_IN_BYTES=$((64 << 20)) PLUMBLINE_STAND_IN_SWEEP_NANOSECONDS=1000000
slow=nodeB/GPU-22222222-0000-0000-0000-000000000002 # GPU1 there
# measure NAME EXIT [VARIABLE=VALUE...] [OPTION...]: a run into NAME.h5 that must end with EXIT.
measure() {
  local name=$1 wanted=$2 status=0
  shift 2
  on_all_hosts 120 "$mpiexec" 2 env "${@}" "$plumbline" run "${campaign:-$here/slow_gpu.toml}" -o "$name.h5" >"$name.log" 2>&1 || status=$?
  ((status == wanted)) || fail "the run ended with $status, not $wanted" "$name.log"
}

# A GPU that stays slow is named, whether nodes measure one at a time or together.
measure slow 3 PLUMBLINE_STAND_IN_SLOW=$slow
sed 's/turns = true/turns = false/' "$here/slow_gpu.toml" >together.toml
campaign=together.toml measure together 3 PLUMBLINE_STAND_IN_SLOW=$slow
for name in slow together; do
  grep -q 'suspicious: nodeB; measured again beside nodeA, nodeC: 4 cases and ceilings, 5 turns' $name.log || fail "it is not measured again" $name.log
  grep -qE 'GPU1 of nodeB is slower than like GPUs: time \+(9[89]|10[01])\.' $name.log || fail "the GPU is not named" $name.log
  grep -q 'GPU1 is stand-in GPU 1 (the host) at 0001:65:00.0, GPU-22222222-' $name.log || fail "it is not said which GPU that is" $name.log
  grep -q 'GPU1: temperature 41.0 C (peers: 41.0)' $name.log || fail "how it fared is not said" $name.log
  status=0
  "$plumbline" nodes $name.h5 --json >nodes.json || status=$?
  ((status == 3)) || fail "plumbline nodes ended with $status, not 3" nodes.json
  /usr/bin/python3 - $name.h5 <<'PYTHON' || fail "the finding or its rows are not what they should be" nodes.json
import collections
import json
import sys

import h5py

nodes = {row["node"]: row for row in json.load(open("nodes.json"))["rows"]}
assert {name: row["verdict"] for name, row in nodes.items()} == {"nodeA": "ALIKE", "nodeB": "SLOWER", "nodeC": "ALIKE"}
assert nodes["nodeB"]["gpus"] == ["GPU1"] and nodes["nodeB"]["again_peers"] == ["nodeA", "nodeC"]
whats = {f"ceiling/GPU1 launch, {way}/r1t1" for way in ("stream", "graph", "waited for")}
again = {one["what"]: one for one in nodes["nodeB"]["again"]}
assert len(again) == 5 and whats | {None} <= set(again) and all(one["turns"] == 5 for one in again.values()), again
[control] = set(again) - whats - {None}  # the fourth is of the other GPU
assert control.startswith("ceiling/GPU launch, ") and not again[control]["confirmed"], again
assert all(again[what]["confirmed"] and 1.98 < again[what]["slowdown"] < 2.02 for what in whats | {None}), again
with h5py.File(sys.argv[1]) as file:
    rows = collections.Counter((row["case"].decode(), row["node"].decode(), int(row["turn"])) for row in file["remeasured"][:])
    assert rows == {(what, node, turn): 3 for what in whats | {control} for node in nodes for turn in range(5)}, rows
    ranks = {row["case"].decode(): json.loads(row["placement"])["ranks"] for row in file["outcomes"][:] if row["pass"] == b"again"}
assert set(ranks) == whats | {control}
for what, [rank] in ranks.items():
    assert (rank["gpu"]["device"], rank["gpu"]["pci"]) == (("GPU", "0000:17:00.0") if what == control else ("GPU1", "0001:65:00.0"))
PYTHON
done

# Slow in its rounds alone: each of the three ceilings fills its memory once a round.
measure healed 0 PLUMBLINE_STAND_IN_SLOW=$slow PLUMBLINE_STAND_IN_SLOW_FILLINGS=9
grep -q 'suspicious: nodeB; measured again beside nodeA, nodeC' healed.log || fail "it is not measured again" healed.log
grep -q 'GPU1 of nodeB is not named: .*, but not when measured again' healed.log || fail "it is not said that it is not named" healed.log

# What is finished stays: nothing is measured again a second time.
on_all_hosts 120 "$mpiexec" 2 env "$plumbline" run "$here/slow_gpu.toml" -o healed.h5 --resume >resumed.log 2>&1 || fail "the run cannot be resumed" resumed.log
if grep -q 'measured again beside' resumed.log; then fail "what is finished is measured again" resumed.log; fi
grep -q 'GPU1 of nodeB is not named: .*, but not when measured again' resumed.log || fail "the resumed run does not judge" resumed.log

# Lost in its third round: what it told in the first two is suspicious, but it is not asked again; its neighbour is.
measure lost 1 PLUMBLINE_STAND_IN_SLOW=$slow PLUMBLINE_STAND_IN_BREAKS=$slow PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP=260
grep -q 'suspicious: GPU1 of nodeB; not measured again: a round of it failed: ' lost.log || fail "it is not said that the lost GPU is left out" lost.log
"$plumbline" nodes lost.h5 --json >nodes.json || fail "plumbline nodes names somebody, or says nothing" nodes.json
/usr/bin/python3 - <<'PYTHON' || fail "the lost GPU is named, or was measured again" lost.log
import h5py

with h5py.File("lost.h5") as file:
    samples, again = file["ceilings"][:], file["remeasured"][:]
of_lost = [row for row in samples if row["node"] == b"nodeB" and row["name"].startswith(b"GPU1 ")]
assert {int(row["round"]) for row in of_lost if row["status"] == b"ok"} >= {0, 1} and any(row["status"] == b"failed" for row in of_lost), of_lost
assert not [row for row in again if row["case"].startswith(b"ceiling/GPU1 ")], again
PYTHON

# Stopped while it is measured again: at its nth filling, of which the rounds take 9 and each turn 3. Each turn is kept that the three nodes of a
# ceiling have finished; with five of each the resumed run judges, with fewer it goes on to all 15.
sed '/budget_seconds/d' "$here/slow_gpu.toml" >all_turns.toml
# resume NAME [VARIABLE=VALUE...]: goes on with NAME.h5; answers its exit code.
resume() {
  local name=$1
  shift
  on_all_hosts 120 "$mpiexec" 2 env PLUMBLINE_STAND_IN_SLOW=$slow "$@" "$plumbline" run all_turns.toml -o "$name.h5" --resume >resumed.log 2>&1
}
for stop in "enough 32 7" "few 21 15"; do
  read -r name filling turns <<<"$stop"
  campaign=all_turns.toml measure "$name" 75 PLUMBLINE_STAND_IN_SLOW=$slow PLUMBLINE_STAND_IN_SIGNAL_AT_FILLING="$filling"
  status=0
  resume "$name" || status=$?
  ((status == 3)) || fail "the resumed run ended with $status, not 3" resumed.log
  grep -q 'GPU1 of nodeB is slower than like GPUs' resumed.log || fail "the resumed run does not name the GPU" resumed.log
  /usr/bin/python3 - "$name.h5" "$turns" <<'PYTHON' || fail "not the turns that there should be" resumed.log
import collections
import sys

import h5py

with h5py.File(sys.argv[1]) as file:
    again, rounds = file["remeasured"][:], file["ceilings"][:]
least = int(sys.argv[2])
turns = collections.defaultdict(set)
for row in again:
    turns[row["case"], row["node"]].add((int(row["turn"]), row["session"]))
assert len(turns) == 4 * 3, turns
for what in {what for what, _ in turns}:
    assert len({frozenset(of) for (of_what, _), of in turns.items() if of_what == what}) == 1, (what, turns)
for of in turns.values():
    assert sorted(turn for turn, _ in of) in (list(range(least)), list(range(min(15, least + 1)))), of
sessions = set(again["session"])
assert (sessions == set(rounds["session"])) == (least == 7) and len(sessions) == (1 if least == 7 else 2), sessions
PYTHON
done

# Sessions that have time for one turn or two come to an end: of each all that it finished is kept.
campaign=all_turns.toml measure short 75 PLUMBLINE_STAND_IN_SLOW=$slow PLUMBLINE_STAND_IN_SIGNAL_AT_FILLING=10
sessions=1 status=75
while ((status == 75 && sessions < 12)); do
  sessions=$((sessions + 1)) status=0
  resume short PLUMBLINE_STAND_IN_SIGNAL_AT_FILLING=5 || status=$?
done
((status == 3)) || fail "after $sessions sessions the run ended with $status, not 3" resumed.log
((sessions > 3)) || fail "so few sessions had no need to go on from each other" resumed.log
grep -q 'GPU1 of nodeB is slower than like GPUs' resumed.log || fail "the last session does not name the GPU" resumed.log
