#!/usr/bin/env bash
# Proves a bundle (jobs/bundle.sh) in a bare Debian: unpacked under another name by a user without root, made read-only, and measured with, on
# one rank and on two of every MPI that this Debian has. By hand, as root; in CTest under the label full.
#
#   bash tests/install/bundle_in_chroot.sh [--suite NAME] [--figures] [--wheel FILE.whl] [--no-mpi] BUNDLE.tar.xz DIR
#
# --figures draws with the Python packages of this Debian, --wheel with those that pip fetches for the wheel (PIP_CERT, where it is set, goes along).
# DIR may hold an earlier bootstrap; what is installed there afterwards are its MPIs and, to draw, its Python. Seconds are printed, not judged.
# Exit codes: 0 proved · 1 not · 2 wrong use · 77 cannot be tried here (no root, no debootstrap).
set -euo pipefail

# shellcheck source=tests/install/chroot.sh
source "$(dirname "$0")/chroot.sh"
settings+=([--suite]=bullseye [--wheel]="")
flags+=([--figures]="" [--no-mpi]="")
read_options "$@"
((${#words[@]} == 2)) || wrong_use "give the bundle and the directory to bootstrap into"
archive=${words[0]} root=${words[1]}
in_a_namespace "$@"

wrong() { say "NOT PROVED: $*" && exit 1; }

# As a user who owns nothing but a folder in /tmp.
as_user() {
  inside setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env HOME=/tmp/user TMPDIR=/tmp/user bash -c 'cd /tmp/user && "$@"' bash "$@"
}

unpack() {
  rm -rf "$root/tmp/user" && install -d -o 65534 -g 65534 "$root/tmp/user"
  cp "$archive" "$root/tmp/bundle.tar.xz"
  as_user tar -x -J -f /tmp/bundle.tar.xz
  as_user bash -c 'mv plumbline-* elsewhere && chmod -R a-w elsewhere'
  say "unpacked, and read-only: $(du -sm "$root/tmp/user/elsewhere" | cut -f 1) MiB"
}

# tar needs xz; nothing else may be there that the bundle is to do without.
look_at_the_system() {
  local program
  inside which xz >/dev/null || install_packages xz-utils
  for program in gcc c++ mpiexec valgrind python3; do
    ! inside which "$program" >/dev/null || say "note: this is no bare system, it has $program"
  done
  say "$(inside sed -n 's/^PRETTY_NAME=//p' /etc/os-release), $(inside ldd --version | head -n 1)"
}

install_packages() {
  inside apt-get -qq update
  inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "$@" >"$root.packages.log" 2>&1 ||
    { tail -n 5 "$root.packages.log" && exit 1; }
}

readonly plumbline=elsewhere/bin/plumbline

# count SEARCH TEXT: how many of its lines have it.
count() { grep -c -- "$1" <<<"$2" || true; }

one_rank() {
  local ceilings scores shown start=$SECONDS
  as_user "$plumbline" --version
  as_user "$plumbline" doctor >"$root.doctor.log" || wrong "doctor failed: $(tail -n 5 "$root.doctor.log")"
  ! as_user bash -c 'ls elsewhere/lib/plumbline/*.a' 2>/dev/null || wrong "libraries for developers are in it"
  as_user "$plumbline" run quick -o quick.h5 >"$root.run.log" 2>&1 || { tail -n 5 "$root.run.log" && wrong "run quick failed"; }
  shown=$(as_user "$plumbline" show quick.h5)
  say "from the start of 'run quick' to its table of kernels: $((SECONDS - start)) s"
  ceilings=$(as_user "$plumbline" ceilings quick.h5)
  scores=$(as_user "$plumbline" score quick.h5)
  (($(count 'FP64 vector FMA' "$ceilings") > 0 && $(count 'mem triad' "$ceilings") > 0)) || wrong "ceilings are missing: $ceilings"
  grep -E '^emulated.flops.fp64 .* A$' <<<"$scores" || wrong "the emulated FLOPs are not exact: $scores"
  (($(count ' emulated$' "$shown") > 20)) || wrong "few cases have their bytes from the emulator: $shown"
  head -n 12 <<<"$shown"
}

# two_ranks NAME TITLE COMMAND...: a short campaign by its launcher; the file says which MPI it was.
two_ranks() {
  local name=$1 title=$2 library
  shift 2
  cat >"$root/tmp/user/pair.toml" <<'TOML'
schema = "plumbline-campaign/1"
name = "pair"
seed = 1
passes = ["time"]
counters = "none"
placement = "every_node"
oversubscribe = true
[timing]
min_seconds = 0.001
ci_relative = 0.5
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-v2"]
team = [{ranks = 2, threads = 1}]
params = {n = [20000]}
[ceilings]
mode = "none"
TOML
  as_user env "$@" -n 2 "$plumbline" run pair.toml --overwrite -o "$name.h5" >"$root.run.log" 2>&1 || { cat "$root.run.log" && wrong "two ranks of $name failed"; }
  (($(count ' r2t1 gcc' "$(as_user "$plumbline" show "$name.h5")") > 0)) || wrong "no case of two ranks by $name"
  library=$(as_user "$plumbline" show "$name.h5" --machine)
  grep -m 1 "mpi: .*$title" <<<"$library" || wrong "not by $name: $library"
  say "two ranks by $name"
}

every_mpi() {
  install_packages mpich
  two_ranks mpich 'MPICH' mpiexec.mpich
  install_packages openmpi-bin
  two_ranks openmpi 'Open MPI' OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe mpiexec.openmpi
}

# The same program and emulator as pip lays them down, and the package that draws, with what it needs, from PyPI.
as_a_wheel() {
  local wheel=${settings[--wheel]} told
  install_packages python3-venv ca-certificates
  cp "$wheel" "$root/tmp" && cp -L "${PIP_CERT:-$root/etc/ssl/certs/ca-certificates.crt}" "$root/tmp/certificates"
  as_user python3 -m venv environment
  as_user env PIP_CERT=/tmp/certificates environment/bin/pip install -q "/tmp/${wheel##*/}" || wrong "pip does not install the wheel"
  told=$(as_user environment/bin/plumbline --version)
  grep -F 'emulated: usable (/tmp/user/environment/' <<<"$told" || wrong "the wheel's emulator is not usable: $told"
  as_user environment/bin/plumbline report quick.h5 -o figures_of_wheel
  ls "$root/tmp/user/figures_of_wheel"/*.png
}

draw() {
  install_packages python3-h5py python3-pandas python3-matplotlib python3-plotly
  as_user "$plumbline" report quick.h5 -o figures
  ls "$root/tmp/user/figures"/*.png
}

bootstrap
mount_kernel_trees
look_at_the_system
unpack
one_rank
if [[ -z ${flags[--no-mpi]} ]]; then every_mpi; fi
if [[ -n ${flags[--figures]} ]]; then draw; fi
if [[ -n ${settings[--wheel]} ]]; then as_a_wheel; fi
say "proved"
