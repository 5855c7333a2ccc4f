# shellcheck shell=bash
# A node of the virtual cluster held by a CPU quota; sourced by the tests. Control groups of version 1 or 2, whichever has the cpu controller.

quota_group=plumbline-$$

quota_root() {
  if [[ -e /sys/fs/cgroup/cpu/cpu.shares ]]; then
    echo /sys/fs/cgroup/cpu
  elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
    echo /sys/fs/cgroup
  else
    return 1
  fi
}

# groups_up NODE...: a group for each node, above which nothing else of the machine gets much of its cores; with all that runs there so far.
groups_up() {
  local root node group
  root=$(quota_root) || { echo "SKIP: no cpu control groups that may be written" && exit 77; }
  mkdir "$root/$quota_group" 2>/dev/null || { echo "SKIP: no control group can be made in $root" && exit 77; }
  trap groups_down EXIT
  if [[ -e $root/cpu.shares ]]; then
    echo 200000 >"$root/$quota_group/cpu.shares"
  else
    echo +cpu >"$root/$quota_group/cgroup.subtree_control"
    echo 10000 >"$root/$quota_group/cpu.weight"
  fi
  for node in "$@"; do
    group=$root/$quota_group/$node
    mkdir "$group"
    cat "$PLUMBLINE_CLUSTER/slurmd.$node.pid" >"$group/cgroup.procs"
  done
}

# hold NODE PART: from now on it gets so much of one core; "max": all of it. A short period, so that every repetition is slowed down alike.
hold() {
  local group period=5000 quota
  group=$(quota_root)/$quota_group/$1
  if [[ $2 == max ]]; then quota=max; else quota=$(awk -v part="$2" -v period=$period 'BEGIN { printf "%d", part * period }'); fi
  if [[ -e $group/cpu.cfs_quota_us ]]; then
    if [[ $quota == max ]]; then quota=-1; fi
    echo $period >"$group/cpu.cfs_period_us"
    echo "$quota" >"$group/cpu.cfs_quota_us"
  else
    echo "$quota $period" >"$group/cpu.max"
  fi
}

# throttled_periods NODE: in how many periods it has used up its quota so far.
throttled_periods() { awk '$1 == "nr_throttled" { print $2 }' "$(quota_root)/$quota_group/$1/cpu.stat"; }

# wait_for_throttling NODE SECONDS: returns when it has used up its quota in twenty more periods: it works.
wait_for_throttling() {
  local end=$((SECONDS + $2)) enough=$(($(throttled_periods "$1") + 20))
  while (($(throttled_periods "$1") < enough)); do
    if ((SECONDS >= end)); then return 1; fi
    sleep 0.02
  done
}

# The daemons leave the groups before these go.
groups_down() {
  local root group pid
  root=$(quota_root) || return 0
  for group in "$root/$quota_group"/*/; do
    while read -r pid; do echo "$pid" >"$root/cgroup.procs" 2>/dev/null || true; done <"$group/cgroup.procs"
    rmdir "$group" 2>/dev/null || true
  done
  rmdir "$root/$quota_group" 2>/dev/null || true
}
