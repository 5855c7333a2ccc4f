#!/usr/bin/env bash
# From a fresh clone to a measured node, one command, no arguments:
#
#   bash jobs/quickstart.sh
#
# installs the packages that are missing, builds, measures this machine on two ranks (at most five minutes after the build), prints the
# tables and draws the figures. Everything it makes lies in build/ and plumbline-out/. It stops at the first error and says which; the packages
# that draw come beside the build, and without them there are no figures.
#
# Another campaign than jobs/campaigns/quick.toml: bash jobs/quickstart.sh FILE.toml
# Code for other GPUs than this machine's: PLUMBLINE_CUDA_ARCHITECTURES=all bash jobs/quickstart.sh
# Kernels by every compiler that is found, not g++ and clang++ alone: PLUMBLINE_FLAVOR_COMPILERS= bash jobs/quickstart.sh
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly plumbline=build/bin/plumbline
readonly ranks=2
readonly python=${PLUMBLINE_PYTHON:-/usr/bin/python3}
campaign=${1:-jobs/campaigns/quick.toml}
out="plumbline-out"
name=$(basename "$campaign" .toml)
store=$out/$name.h5
figures_log=$out/figures-packages.log

declare -A allowed_minutes=([packages]=1 [build]=3 [measure]=1 [results]=1) # the goal: 6 together, with nothing built before
source jobs/stage_table.sh

headline() { printf '\n=== %s  [%d s]\n' "$*" "$SECONDS"; }

# attempt WHAT COMMAND...: runs the command, and ends here with one line when it fails.
attempt() {
  local what=$1 status=0
  shift
  "$@" || status=$?
  ((status == 0)) || stop "$status" "$what failed (exit code $status); the command was: $*"
}

stop() {
  printf '\nquickstart: %s\n' "$2" >&2
  exit "$1"
}

# The mpiexec of the MPI that was linked: plain "mpiexec" may belong to another one.
find_mpiexec() {
  local cached
  cached=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' build/CMakeCache.txt)
  if [[ -x $cached ]]; then echo "$cached"; else command -v mpiexec.mpich || command -v mpiexec; fi
}

# Two ranks want two cores. On a machine with one the campaign is run with "oversubscribe": it works, and every row says so.
fit_campaign_to_cores() {
  if (($(nproc) >= ranks)); then return 0; fi
  local fitted=$out/$name.toml
  { echo "oversubscribe = true" && grep -v '^oversubscribe' "$campaign"; } >"$fitted"
  campaign=$fitted
  echo "This machine gives us $(nproc) core(s) for $ranks ranks: they share it (oversubscribe = true in $campaign); times will be poor."
}

# What CMake found may be less than what is installed: Valgrind without tool headers, say.
tell_missing_emulator() {
  if grep -q '^PLUMBLINE_EMULATOR_FOUND:INTERNAL=ON' build/CMakeCache.txt; then return 0; fi
  echo "Without a Valgrind that a tool can be linked with there are no emulated counters. 'bash jobs/valgrind.sh' builds one in a few minutes; then once more."
}

# What only figures need installs beside the build, and is there, or is given up, before anything is measured.
install_figures() {
  bash jobs/install.sh --figures >"$figures_log" 2>&1 &
  figures_installation=$!
}

finish_figures() {
  wait "$figures_installation" || echo "packages for figures could not all be installed: $(tail -n 1 "$figures_log") ($figures_log has all of it)"
}

draws() { "$python" -c 'import h5py, matplotlib, numpy, pandas' 2>/dev/null; }

save_json() {
  local command=$1 file=$2
  "$plumbline" "$command" "$store" --json >"$file.partial" && mv "$file.partial" "$file"
}

if [[ ! -r $campaign ]]; then stop 2 "there is no campaign file $campaign"; fi
mkdir -p "$out"

headline "1/5 Packages"
attempt "installing packages" bash jobs/install.sh --no-figures
end_stage packages
install_figures
trap wait EXIT # an installation is not left half done

headline "2/5 Build (Release, into build/)"
attempt "configuring" cmake --preset release -DPLUMBLINE_CUDA_ARCHITECTURES="${PLUMBLINE_CUDA_ARCHITECTURES:-native}" \
  -DPLUMBLINE_FLAVOR_COMPILERS="${PLUMBLINE_FLAVOR_COMPILERS-${CXX:-g++};clang++}"
tell_missing_emulator
attempt "building" cmake --build build --parallel "$(nproc)"
finish_figures
end_stage build

headline "3/5 Measure: $campaign on $ranks ranks -> $store"
fit_campaign_to_cores
mpiexec=$(find_mpiexec) || stop 2 "no mpiexec found; installed MPI packages: $(dpkg-query -W -f '${Package} ' 'mpich*' 'openmpi*' 2>/dev/null)"
# An interrupted run is gone on with; an earlier result gives way.
if [[ -d ${store%.h5}.journal ]]; then earlier=--resume; else earlier=--overwrite; fi
attempt "the run" "$mpiexec" -n "$ranks" "$plumbline" run "$campaign" -o "$store" "$earlier"
end_stage measure

headline "4/5 Tables"
for command in ceilings score show; do
  printf '\n--- plumbline %s %s\n' "$command" "$store"
  attempt "plumbline $command" "$plumbline" "$command" "$store"
done
attempt "writing JSON" save_json show "$out/$name.json"
attempt "writing JSON" save_json score "$out/$name.score.json"
attempt "writing JSON" save_json ceilings "$out/$name.ceilings.json"

headline "5/5 Figures"
if draws; then
  attempt "plumbline report" "$plumbline" report "$store"
else
  echo "left out: $python has no h5py, matplotlib, numpy and pandas; PLUMBLINE_PYTHON names another Python 3; $figures_log says what was installed"
fi
end_stage results

headline "Done"
entry() { printf '  %-36s %s\n' "$1" "$2"; }
entry "$store" "everything measured: HDF5, readable with h5py, pandas or h5dump"
entry "$out/$name.json" "what each kernel reaches and what bounds it    (plumbline show --json)"
entry "$out/$name.score.json" "each counter held against arithmetic           (plumbline score --json)"
entry "$out/$name.ceilings.json" "what this node can do                          (plumbline ceilings --json)"
! draws || entry "$out/report.html" "all figures on one page; each also as PNG and SVG beside it"
echo "next:"
entry "$plumbline doctor" "says what else can be measured here, and how to get it"
entry "$plumbline --help" "the other commands"
echo
print_stages
