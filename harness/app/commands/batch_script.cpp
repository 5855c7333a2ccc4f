#include "app/commands/batch_script.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::app {
namespace {

/// Quotes a word within double quotes of the shell.
std::string quoted(const std::string& word) {
  std::string text;
  for (const char c : word) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') text += '\\';
    text += c;
  }
  return text;
}

int ranks_of(const BatchMachine& machine) { return machine.ranks.value_or(machine.cores); }

/// The range of nodes that a job asks for, as "LEAST-MOST": a drained node keeps the others waiting for as long as it is drained where all
/// are asked for.
std::string node_range(const BatchJob& job) {
  const int most = nodes_of(job.kind, job.machine), least = least_nodes_of(job.kind, job.machine);
  return least < most ? fmt::format("{}-{}", least, most) : fmt::format("{}", most);
}

const BatchKindName& of_kind(BatchKind kind) {
  const auto& kinds = batch_kinds();
  return *std::find_if(kinds.begin(), kinds.end(), [&](const BatchKindName& one) { return one.kind == kind; });
}

std::string head(const BatchJob& job) {
  const BatchKindName& kind = of_kind(job.kind);
  return fmt::format(
      R"--(#!/usr/bin/env bash
# {}. Written by
#   {}
# Write it again rather than edit it; jobs/slurm/README.md says what it does. Submit it with sbatch, whose options win over those below.
#
# The environment may say otherwise:
#   PLUMBLINE           the program    ({})
#   PLUMBLINE_CAMPAIGN  the campaign   ({}){}
#   PLUMBLINE_RESTARTS  how often the job may requeue itself to go on where it stopped   (20)

)--",
      kind.title, job.command, job.machine.plumbline, job.campaign,
      fmt::format(
          "{}\n#   PLUMBLINE_STORE     the result     ({}{}-JOBID.h5)\n"
          "#   PLUMBLINE_RESUME    1: the store was begun by another job; finish it",
          job.kind == BatchKind::nightly
              ? "\n#   PLUMBLINE_HISTORY   the folder of the nights   (plumbline-history)\n"
                "#   PLUMBLINE_ON_FINDING  what is run where something is found, with it as JSON on its standard input; empty: nothing"
              : "",
          job.kind == BatchKind::nightly ? "plumbline-history/.running/" : "plumbline-out/", job.name));
}

std::string directives(const BatchJob& job) {
  const BatchMachine& machine = job.machine;
  std::string text;
  const auto add = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };
  add(fmt::format("--job-name=plumbline-{}", job.name));
  if (!machine.partition.empty()) add("--partition=" + machine.partition);
  if (!machine.account.empty()) add("--account=" + machine.account);
  if (least_nodes_of(job.kind, machine) < nodes_of(job.kind, machine))
    text += "# All nodes that can be had once the lesser number of them can: one that is drained or down keeps nobody waiting.\n";
  add("--nodes=" + node_range(job));
  text += "# One task (MPI rank) for each place that a campaign may give to one.\n";
  add(fmt::format("--ntasks-per-node={}", ranks_of(machine)));
  if (job.kind == BatchKind::gpu)
    add(fmt::format("--gres=gpu:{}", std::max(1, machine.gpus)));
  else if (job.wants_gpus) {
    text += "# The campaign has cases for GPUs.\n";
    add(fmt::format("--gpus-per-node={}", std::max(1, machine.gpus)));
  }
  text += "# Bandwidth cases own their node, all of its CPUs and memory: anybody else on it would be measured too.\n";
  add("--exclusive");
  add("--mem=0");
  text += fmt::format("# {}\n", job.minutes_why);
  add(fmt::format("--time={:02}:{:02}:00", job.minutes / 60, job.minutes % 60));
  const bool srun = machine.launcher == "srun";
  text += srun ? "# The ranks hear SIGUSR1 this many seconds before the end (Slurm may send it 60 s earlier) and finish the case at hand. "
                 "Without \"B:\":\n"
                 "# with it only this script would hear it.\n"
               : "# This script hears SIGUSR1 this many seconds before the end (Slurm may send it 60 s earlier) and hands it on; the ranks "
                 "finish the\n"
                 "# case at hand.\n";
  add(fmt::format("--signal={}USR1@{}", srun ? "" : "B:", job.signal_seconds));
  text += "# A lost node or a preemption puts the job back into the queue; the log then goes on in the same file.\n";
  add("--requeue");
  add("--open-mode=append");
  add("--output=%x-%j.log");
  for (const auto& option : machine.options) add(option);
  return text;
}

constexpr std::string_view leftovers = R"--(
for left in "$history"/.running/*.journal "$history"/.running/*.h5; do # a file without its journal is whole, and only not yet history
  if [[ ! -e $left || ($left == *.h5 && -d ${left%.h5}.journal) ]]; then continue; fi
  left=${left%.*}.h5
  if ((restarts > 0)) || [[ $left == "$store" ]]; then continue; fi
  echo "plumbline: note: $left is a night that was never finished; unless its job is still there: PLUMBLINE_RESUME=1 PLUMBLINE_STORE=$(printf %q "$left") sbatch nightly.sbatch"
done
)--";

/// The site's own lines, each of which must succeed. Their commands are written without `set -u` in mind.
std::string setup(const BatchMachine& machine) {
  if (machine.setup.empty()) return "";
  std::string text = R"--(
# setup_failed STATUS LINE: what a line of the site did not set up is not measured without it.
setup_failed() {
  echo "plumbline: a setup line failed ($1): $(sed -n "$2p" "$0"); mend 'setup' of the machine's file" >&2
  exit 2
}
set +u
# The shell of a job that cron submitted has no 'module' yet. (All of /etc/profile would set PATH anew.)
if ! type module >/dev/null 2>&1; then
  for file in /etc/profile.d/*mod*.sh; do
    # shellcheck source=/dev/null
    if [[ -r $file ]]; then source "$file"; fi
  done
fi
)--";
  text += "trap 'setup_failed $? \"$LINENO\"' ERR\n";
  for (const auto& line : machine.setup) text += line + "\n";
  return text + "trap - ERR\nset -u\n";
}

std::string settings(const BatchJob& job) {
  std::string text = fmt::format(R"--(
set -uo pipefail
: "${{SLURM_JOB_ID:?submit this with sbatch}}"
plumbline=${{PLUMBLINE:-"{}"}}
campaign=${{PLUMBLINE_CAMPAIGN:-"{}"}}
restarts=${{SLURM_RESTART_COUNT:-0}}
)--",
                                 quoted(job.machine.plumbline), quoted(job.campaign));
  if (!job.machine.cluster.empty())
    text += fmt::format("export PLUMBLINE_CLUSTER=${{PLUMBLINE_CLUSTER:-\"{}\"}} # nights of one are held against no other's\n",
                        quoted(job.machine.cluster));
  if (job.kind == BatchKind::nightly)
    text += fmt::format(R"--(history=${{PLUMBLINE_HISTORY:-plumbline-history}}
store=${{PLUMBLINE_STORE:-$history/.running/{}-$SLURM_JOB_ID.h5}} # a night that is not over is not history
on_finding=${{PLUMBLINE_ON_FINDING-"{}"}}
)--",
                        job.name, quoted(job.machine.on_finding));
  else
    text += fmt::format("store=${{PLUMBLINE_STORE:-plumbline-out/{}-$SLURM_JOB_ID.h5}}\n", job.name);
  text += R"--(journal=${store%.h5}.journal # there as long as something is missing
mkdir -p "$(dirname "$store")"
tasks=$((SLURM_JOB_NUM_NODES * ${SLURM_NTASKS_PER_NODE:-1})) # of a range of nodes, Slurm need not tell their number

options=()
if ((restarts > 0)) || [[ ${PLUMBLINE_RESUME:-0} == 1 ]]; then options+=(--resume); fi
)--";
  text += setup(job.machine);
  text += R"--(
echo "plumbline: job $SLURM_JOB_ID, start $((restarts + 1)), nodes $SLURM_JOB_NODELIST, $tasks tasks, $campaign -> $store"
)--";
  if (const int most = nodes_of(job.kind, job.machine); least_nodes_of(job.kind, job.machine) < most)
    text += fmt::format(
        R"--(if ((SLURM_JOB_NUM_NODES < {0})); then echo "plumbline: note: $SLURM_JOB_NUM_NODES of {0} nodes: the others could not be had"; fi
)--",
        most);
  if (job.kind == BatchKind::nightly) text += leftovers;
  return text;
}

std::string launch(const BatchMachine& machine) {
  if (machine.launcher == "srun")
    return fmt::format(R"--(
# --cpus-per-task is not said, and not taken from the job: it implies --exact, which with two hardware threads a core leaves out half of the
# cores. --cpu-bind=none: plumbline binds its threads by itself, for each team anew. --wait: once a first rank has ended, the others get a
# minute; so a rank that died does not hold the nodes, while ranks that stop with 75 may finish their files (which --kill-on-bad-exit would
# not let them).
unset SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK SLURM_TRES_PER_TASK SLURM_EXACT
mpi=${{PLUMBLINE_SRUN_MPI-{}}} # srun's --mpi; empty: the site's own choice (MpiDefault)
srun ${{mpi:+"--mpi=$mpi"}} --cpu-bind=none --kill-on-bad-exit=0 --wait=60 \
  "$plumbline" run "$campaign" -o "$store" ${{options[@]+"${{options[@]}}"}}
status=$?
)--",
                       machine.mpi);
  return fmt::format(R"--(
began=$(date +%s)
unset SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK SLURM_TRES_PER_TASK SLURM_EXACT # the launcher's own srun would take no more CPUs than these
# -bind-to none: plumbline binds its threads by itself, for each team anew.
"${{PLUMBLINE_MPIEXEC:-{}}}" -n "$tasks" -ppn "${{SLURM_NTASKS_PER_NODE:-1}}" -bind-to none \
  "$plumbline" run "$campaign" -o "$store" ${{options[@]+"${{options[@]}}"}} &
launcher=$!
trap 'kill -USR1 "$launcher"' USR1 # it hands the signal on to the ranks
while :; do
  wait "$launcher"
  status=$?
  if ! kill -0 "$launcher" 2>/dev/null; then break; fi # else it was the signal that ended the waiting
done
# Of ranks that leave what hangs in the same moment Hydra may have no code, and tells 1 in its place: their record tells.
if ((status == 1)) && [[ -n $(find "$journal" -name '*.deadlines' -newermt "@$began" 2>/dev/null) ]]; then status=75; fi
)--",
                     machine.mpiexec);
}

std::string before(const BatchJob& job) {
  if (job.kind != BatchKind::validation && job.kind != BatchKind::gpu) return "";
  return R"--(
if ((restarts == 0)); then "$plumbline" doctor; fi # of the first node: what can be measured here
)--";
}

std::string_view after(const BatchJob& job) {
  switch (job.kind) {
    case BatchKind::validation:
      return R"--(  "$plumbline" ceilings "$store"
  "$plumbline" score "$store" --choose "${store%.h5}.set.toml" # the counters that can be trusted here: run --counters takes that file
  "$plumbline" show "$store"
)--";
    case BatchKind::nightly:
      return R"--(  night=$history/$(date +%F)-$SLURM_JOB_ID.h5
  mkdir -p "$history" && mv "$store" "$night"
  finding=()
  if [[ -n $on_finding ]]; then finding=(--on-finding "$on_finding" --on-finding-seconds 20); fi # the time limit may be near
  if [[ -n $on_finding ]] && ((status == 3)); then "$plumbline" nodes "$night" "${finding[@]}" >/dev/null; fi # worse than like nodes, as said above
  "$plumbline" check "$night" --baseline rolling:14d ${finding[@]+"${finding[@]}"} # 3: something got worse
  verdict=$?
  case $verdict-$status in # the worse of the two: a wrong result, then what got worse or is worse than like nodes, then the rest
    4-* | 3-[012] | *-0) status=$verdict ;;
  esac
)--";
    default:
      return R"--(  echo "plumbline: done; on a login node: $plumbline ceilings $store; $plumbline score $store; $plumbline report $store"
)--";
  }
}

constexpr std::string_view requeue = R"--(
# A launcher that was signalled itself may lose the ranks' exit code: the journal tells whether something is missing.
if ((status == 0)) && [[ -d $journal ]]; then status=75; fi
# A rank that was killed (a lost node, memory) is worth two more tries; what ends every time the same way is not.
allowed=0
case $status in
  75) allowed=${PLUMBLINE_RESTARTS:-20} ;;
  9 | 15 | 13[0-9] | 14[0-9] | 255) allowed=2 ;;
esac
if ((status != 0 && restarts < allowed)); then
  echo "plumbline: stopped early ($status), requeueing job $SLURM_JOB_ID to resume"
  scontrol requeue "$SLURM_JOB_ID" && sleep 60 # Slurm ends this script while it sleeps, and starts it again from the top
  echo "plumbline: could not requeue"
fi
)--";

/// The words for submitting it again say again what the environment said.
std::string unfinished(BatchKind kind) {
  return fmt::format(R"--(if [[ -d $journal ]]; then
  words=""
  for name in PLUMBLINE PLUMBLINE_CAMPAIGN{}; do
    if [[ -n ${{!name+x}} ]]; then words+="$name=$(printf %q "${{!name}}") "; fi
  done
  echo "plumbline: ended with $status; submit it again: ${{words}}PLUMBLINE_RESUME=1 PLUMBLINE_STORE=$(printf %q "$store") sbatch {}.sbatch"
  exit "$status"
fi
if [[ -f $store ]]; then
)--",
                     kind == BatchKind::nightly ? " PLUMBLINE_HISTORY PLUMBLINE_ON_FINDING" : "", of_kind(kind).name);
}

}  // namespace

const std::vector<BatchKindName>& batch_kinds() {
  static const std::vector<BatchKindName> kinds{
      {BatchKind::node, "node", "Measures one node"},
      {BatchKind::partition, "partition", "Measures all nodes of a partition in one job, so that they can be compared"},
      {BatchKind::gpu, "gpu", "Measures a node with its GPUs"},
      {BatchKind::validation, "validation", "Finds out what a new machine can do and which of its counters can be trusted"},
      {BatchKind::nightly, "nightly",
       "Measures all nodes of a partition tonight and holds them against the nights before: exit code 3 is a regression"}};
  return kinds;
}

int nodes_of(BatchKind kind, const BatchMachine& machine) {
  return kind == BatchKind::partition || kind == BatchKind::nightly ? machine.nodes : 1;
}

int least_nodes_of(BatchKind kind, const BatchMachine& machine) {
  const int most = nodes_of(kind, machine);
  if (most == 2) return ranks_of(machine) > 1 ? 1 : 2;
  return std::min(most, std::max(2, (most + 1) / 2));
}

std::string batch_script(const BatchJob& job) {
  return fmt::format("{}{}{}{}{}{}{}{}fi\nexit \"$status\"\n", head(job), directives(job), settings(job), before(job), launch(job.machine),
                     requeue, unfinished(job.kind), after(job));
}

}  // namespace plumbline::app
