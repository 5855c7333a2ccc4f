#!/usr/bin/env bash
# The counter validation of Kwack et al. 2018 (section III), whole: geometric series and stencils through the emulated counters, scored,
# and its tables V to VII and figures 2 to 8 beside the paper's.
#
#   bash jobs/kwack2018.sh                     into plumbline-out/kwack2018; goes on where an earlier run was stopped
#   bash jobs/kwack2018.sh -o DIR              elsewhere
#   bash jobs/kwack2018.sh --judge -o DIR      only scores and draws what was counted
#   bash jobs/kwack2018.sh --figures [-o DIR]  figures 10 to 16 (section IV) instead: stencils, HPCG, HPGMG and solvers over sizes and ranks,
#                                              timed on 2 ranks and counted, with this machine's caches and with those of the paper's
#                                              processor; what the paper expects of them, and rooflines. A quarter of an hour, 5 GB
#
# Counting 6552 cases takes about 40 minutes of one core that is free, and 1.2 GB of memory. It needs valgrind and a built plumbline (build/,
# build-ci/, or PLUMBLINE=program). Exit code: that of plumbline (4: a FLOP total differs from the arithmetic; 75: stopped, resumable).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=plumbline-out/kwack2018 count=yes figures=no
while (($#)); do
  case $1 in
    -o) output=${2:?"-o needs a folder"} && shift 2 ;;
    --judge) count=no && shift ;;
    --figures) figures=yes && shift ;;
    *) echo "kwack2018.sh: unknown word '$1'; see the head of $0" >&2 && exit 2 ;;
  esac
done
plumbline=${PLUMBLINE:-}
for folder in build build-ci; do
  [[ -n $plumbline || ! -x $here/../$folder/bin/plumbline ]] || plumbline=$here/../$folder/bin/plumbline
done
[[ -n $plumbline ]] || { echo "kwack2018.sh: no plumbline in build/ or build-ci/: build it, or set PLUMBLINE=program" >&2 && exit 2; }

mkdir -p "$output"
code=0
if [[ $figures = yes ]]; then
  mpiexec=${PLUMBLINE_MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)} ||
    { echo "kwack2018.sh: no mpiexec in PATH: install MPICH, or set PLUMBLINE_MPIEXEC=program" >&2 && exit 2; }
  stores=("$output/figures.h5" "$output/figures_interlagos.h5")
  for store in "${stores[@]}"; do
    name=$(basename "$store" .h5)
    [[ $count = no ]] || OMP_WAIT_POLICY=passive "$mpiexec" -n 2 "$plumbline" run "$here/campaigns/kwack2018/$name.toml" -o "$store" --resume
    "$plumbline" show "$store"
    "$plumbline" report "$store" -o "$output/$name"
  done
  "$plumbline" expect "${stores[@]}" --id 'stencil*-bound-*' --id 'hpcg-*' --id 'hpgmg-*' --id 'petsc-*' --id 'direct-*' --id 'mumps-*' || code=$?
  exit "$code"
fi
for name in stencils stencils_here series_flows series; do
  [[ $name != stencils_here || $count = yes || -e $output/$name.h5 ]] || continue # folders of before it was
  [[ $count = no ]] || "$plumbline" run "$here/campaigns/kwack2018/$name.toml" -o "$output/$name.h5" --resume
  groups=(--by "kernel,precision,level")
  [[ $name != stencils_here ]] || groups+=(--by level)
  [[ $name = stencils* ]] || groups+=(--by "precision,form,m,flavor")
  "$plumbline" score "$output/$name.h5" --json "${groups[@]}" >"$output/$name.score.json" || code=$?
  ((code == 0 || code == 4)) || exit "$code"
done
PLUMBLINE=$plumbline PYTHONPATH=$here/../analysis /usr/bin/python3 -B -m plumbline_analysis paper "$output"
exit "$code"
