#!/usr/bin/env bash
# Compiles the program by many compilers, as a Debian has them: bootstraps SUITE into DIR, installs there what building needs and the
# compilers, and prints a line for each (build_with.py). By hand, as root; in CTest under the label full.
#
#   bash tests/install/compilers.sh [--suite NAME] [--syntax] [--json FILE] [--ccache FOLDER] DIR [COMPILER...]
#
# FILE, where it is there, is gone on with: tests/golden/compilers.json. The suite "experimental" is sid with experimental's newer fmt.
# COMPILER is g++-14, clang++-19, ...; none: every g++ from 11 and clang++ from 14 on that the suite has. With --syntax files are only parsed
# and checked. DIR may hold an earlier bootstrap. Exit codes: 0 compiled by all · 1 not · 2 wrong use · 77 cannot be tried here.
set -euo pipefail

# shellcheck source=tests/install/chroot.sh
source "$(dirname "$0")/chroot.sh"
settings+=([--suite]=trixie [--json]="")
flags+=([--syntax]="")
read_options "$@"
root=${words[0]:-}
[[ -n $root ]] || wrong_use "give the directory to bootstrap into"
compilers=("${words[@]:1}")
json=${settings[--json]}
in_a_namespace "$@"
asked_suite=$suite
if [[ $suite == experimental ]]; then suite=sid; fi # which is no whole system

quiet_apt() { inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" >"$root.packages.log" 2>&1 || { tail -n 5 "$root.packages.log" && exit 1; }; }

# Of the suite's packages those whose names are a compiler's and its version, from the oldest on that the project knows.
known_compilers() {
  inside apt-cache pkgnames | grep -xE 'g\+\+-(1[1-9])|clang-(1[4-9]|[2-9][0-9])' | sed 's/^clang-/clang++-/' | sort -V
}

# install_compiler COMPILER: clang with its own OpenMP, of which one version alone can be there.
install_compiler() {
  local packages=("$1")
  if [[ $1 == clang* ]]; then packages=("${1/++/}" "libomp-${1#clang++-}-dev"); fi
  quiet_apt install --no-install-recommends "${packages[@]}"
}

install_newer_libraries() {
  echo "deb $mirror experimental main" >"$root/etc/apt/sources.list.d/experimental.list"
  quiet_apt update
  quiet_apt install --target-release experimental libfmt-dev
}

bootstrap
mount_kernel_trees
copy_tree
inside bash /plumbline/jobs/install.sh
if [[ $asked_suite == experimental ]]; then install_newer_libraries; fi
if ((${#compilers[@]} == 0)); then mapfile -t compilers < <(known_compilers); fi
say "compilers: ${compilers[*]}"
status=0
syntax=${flags[--syntax]:+--syntax}
if [[ -e $json ]]; then cp "$json" "$root/compilers.json"; else rm -f "$root/compilers.json"; fi
for compiler in "${compilers[@]}"; do
  install_compiler "$compiler"
  inside python3 -B /plumbline/tests/install/build_with.py ${syntax:+"$syntax"} --json /compilers.json --suite "$asked_suite" "$compiler" || status=$?
done
if [[ -n $json ]]; then cp "$root/compilers.json" "$json"; fi
exit "$status"
