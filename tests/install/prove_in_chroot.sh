#!/usr/bin/env bash
# Proves jobs/install.sh where nothing is installed: bootstraps a bare Debian into DIR, installs there with the list as it stands,
# then runs jobs/quickstart.sh on the committed tree there. It downloads a whole system and takes many minutes (label full). By hand, as
# root, after the package list changed:
#
#   bash tests/install/prove_in_chroot.sh [--tests] [--no-build] [--suite NAME] [--ccache FOLDER] DIR
#
# DIR may hold an earlier bootstrap, which is then used as it is; FOLDER makes a later build cheap. The machine's resolver is used inside, and its apt sources where they are of that suite.
# Exit codes: 0 proved · 1 not · 2 wrong use · 77 cannot be tried here (no root, no debootstrap).
set -euo pipefail

# shellcheck source=tests/install/chroot.sh
source "$(dirname "$0")/chroot.sh"
flags+=([--tests]="" [--no-build]="")
read_options "$@"
root=${words[0]:-}
((${#words[@]} == 1)) || wrong_use "give the directory to bootstrap into"
with_tests=(${flags[--tests]:+--tests})
in_a_namespace "$@"

check_tools() {
  local tool
  for tool in cmake ninja g++ mpicxx.mpich mpiexec.mpich valgrind h5dump numactl; do
    inside which "$tool" >/dev/null || { say "$tool is missing after the installation" && exit 1; }
  done
  inside /usr/bin/python3 -c 'import h5py, matplotlib, pandas, plotly, numpy'
  if ((${#with_tests[@]} == 0)); then # the tests alone want a second one
    ! inside dpkg-query --status openmpi-bin 2>/dev/null | grep -q '^Status: .* installed' ||
      { say "the list brought a second MPI: openmpi-bin" && exit 1; }
  fi
  cat >"$root/root/hello.cpp" <<'CPP'
#include <mpi.h>
#include <cstdio>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("world of %d\n", size);
  MPI_Finalize();
}
CPP
  inside mpicxx.mpich -std=c++20 -o /root/hello /root/hello.cpp
  [[ $(inside mpiexec.mpich -n 2 /root/hello) == "world of 2" ]] || { say "two ranks do not find each other" && exit 1; }
}

# The user's own first command; what it must leave behind is looked at.
build_and_run() {
  inside bash -c 'cd /plumbline && rm -rf build plumbline-out && bash jobs/quickstart.sh'
  inside bash -c 'cd /plumbline/plumbline-out && ls -l && test -s quick.h5 && test -s quick.json && ls ./*.png ./*.svg >/dev/null'
  inside find /plumbline/plumbline-out/report.html -size -8000000c | grep -q . || { say "the page of quick is larger than 8 MB" && exit 1; }
}

bootstrap
mount_kernel_trees
copy_tree
say "packages at the start: $(inside dpkg-query -W -f '.' | wc -c)"
inside bash /plumbline/jobs/install.sh "${with_tests[@]}"
say "packages now: $(inside dpkg-query -W -f '.' | wc -c), $(du -sxm "$root" | cut -f 1) MiB"
inside bash /plumbline/jobs/install.sh "${with_tests[@]}" | grep 'are installed' || { say "the second run found something to do" && exit 1; }
check_tools
say "compilers, MPI, HDF5 and Python work"
if [[ -z ${flags[--no-build]} ]]; then build_and_run && say "quickstart did its work"; fi
say "proved"
