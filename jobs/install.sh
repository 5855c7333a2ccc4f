#!/usr/bin/env bash
# Installs the Debian packages that Plumbline needs and that this machine lacks. Safe to repeat: with nothing missing it only asks dpkg.
#
#   bash jobs/install.sh             what building, running and drawing need
#   bash jobs/install.sh --tests     the same and what the tests need
#   bash jobs/install.sh --list      print the lists, one line a purpose, and stop
#   bash jobs/install.sh --check     install nothing: say what is missing
#
# Exit codes: 0 everything required is there · 1 an installation failed · 2 packages are missing and this user may not install them.
# Root installs directly, anybody else through "sudo -n"; where neither works the missing packages are listed with the command that
# gets them, to be handed to whoever may run it.
set -euo pipefail

# One list a purpose. Tried on Debian 12 (bookworm). The serial HDF5 is the one wanted (one rank writes), and python3-h5py-mpi,
# python3-mpi4py and libhdf5-openmpi-dev are left out on purpose: they bring a second MPI.
declare -A required=(
  [build]="build-essential cmake ninja-build pkg-config mpich libmpich-dev libhdf5-dev libhwloc-dev libpapi-dev libpfm4-dev libnuma-dev
    libopenblas-dev libbenchmark-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libspdlog-dev libfmt-dev valgrind"
  [run]="mpich valgrind hdf5-tools numactl"
  [figures]="python3 python3-numpy python3-h5py python3-pandas python3-matplotlib python3-plotly"
  [tests]="libgtest-dev python3-pytest python3-scipy iproute2 util-linux"
)

# Without these something is left out, visibly, and the rest works: more kernel flavors, or tests that skip with their reason.
declare -A optional=(
  [build]="clang g++-11 ccache"
  [run]="papi-tools"
  [figures]=""
  [tests]="gcc-11 shellcheck slurm-wlm munge likwid gfortran libfftw3-dev datamash sqlite3 g++-aarch64-linux-gnu qemu-user
    libbenchmark-tools libxml2-utils groff-base environment-modules python3-venv clang-16 libclang-rt-16-dev libomp-16-dev"
)

readonly interpreter=/usr/bin/python3 # Debian's, which sees the python3-* packages; another python3 may come first on PATH

usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; }

say() { printf 'install: %s\n' "$*"; }

warn() { printf 'install: warning: %s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  printf 'install: %s\n' "$*" >&2
  exit "$code"
}

print_lists() {
  local purpose names
  for purpose in build run figures tests; do
    read -r -d '' -a names <<<"${required[$purpose]}" || true # -d '' reads all lines and then reports the end
    printf '%s: %s\n' "$purpose" "${names[*]}"
    read -r -d '' -a names <<<"${optional[$purpose]}" || true
    if ((${#names[@]} > 0)); then printf '%s, optional: %s\n' "$purpose" "${names[*]}"; fi
  done
}

# missing_of PACKAGE...: prints those that dpkg does not hold as fully installed.
missing_of() {
  local installed package
  (($# > 0)) || return 0
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done | sort -u
}

# How to become root, as words to put before a command; empty for root itself. Fails when there is no way.
root_prefix() {
  if [[ $(id -u) == 0 ]]; then return 0; fi
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    echo "sudo -n env DEBIAN_FRONTEND=noninteractive"
    return 0
  fi
  return 1
}

# One broken third-party source makes "apt-get update" fail although Debian's own lists arrived: so its failure is a warning, and
# whether the packages can be had is for "apt-get install" to say.
update_lists() {
  local try
  for try in 1 2 3; do
    if "${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 update; then return 0; fi
    if ((try < 3)); then sleep $((try * 3)); fi
  done
  warn "'apt-get update' reported errors three times; trying with the lists at hand"
}

apt_install() {
  "${as_root[@]}" apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "$@" </dev/null >"$log" 2>&1
}

install_required() {
  (($# > 0)) || return 0
  say "installing: $*"
  if apt_install "$@"; then return 0; fi
  tail -n 15 "$log" >&2
  fail 1 "apt-get could not install the packages above; its last lines are printed; the command was: apt-get install --no-install-recommends $*"
}

install_optional() {
  local package
  (($# > 0)) || return 0
  say "installing, optional: $*"
  if apt_install "$@"; then return 0; fi
  for package in "$@"; do # one that cannot be had must not keep the others away
    apt_install "$package" || warn "optional package $package could not be installed: $(grep -m1 '^E:' "$log" || tail -n 1 "$log")"
  done
}

wanted=(build run figures)
check_only=false
for argument in "$@"; do
  case $argument in
    --tests) wanted+=(tests) ;;
    --list) print_lists && exit 0 ;;
    --check) check_only=true ;;
    -h | --help) usage && exit 0 ;;
    *) fail 2 "unknown option '$argument'; try --tests, --list, --check or --help" ;;
  esac
done

required_names=()
optional_names=()
for purpose in "${wanted[@]}"; do
  read -r -d '' -a names <<<"${required[$purpose]}" || true
  required_names+=("${names[@]}")
  read -r -d '' -a names <<<"${optional[$purpose]}" || true
  optional_names+=("${names[@]}")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is no Debian-like system (no dpkg-query or apt-get); needed are, by their Debian names:" >&2
  print_lists >&2
  fail 2 "install their equivalents by hand, then build with: cmake --preset release && cmake --build --preset release"
fi

mapfile -t missing_required < <(missing_of "${required_names[@]}")
mapfile -t missing_optional < <(missing_of "${optional_names[@]}")

if ((${#missing_required[@]} + ${#missing_optional[@]} == 0)); then
  say "all packages for ${wanted[*]} are installed (python: $interpreter)"
  exit 0
fi

if $check_only || ! prefix=$(root_prefix); then
  $check_only || say "not root, and 'sudo -n' does not work here" >&2
  if ((${#missing_optional[@]} > 0)); then
    warn "optional packages that are missing: ${missing_optional[*]}"
  fi
  if ((${#missing_required[@]} == 0)); then
    say "everything required for ${wanted[*]} is installed"
    exit 0
  fi
  printf 'install: missing: %s\n' "${missing_required[*]}" >&2
  printf 'install: as root: apt-get update && apt-get install --no-install-recommends %s\n' \
    "${missing_required[*]} ${missing_optional[*]}" >&2
  exit 2
fi
read -r -a as_root <<<"$prefix"

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
update_lists
install_required "${missing_required[@]}"
install_optional "${missing_optional[@]}"

mapfile -t missing_required < <(missing_of "${required_names[@]}")
if ((${#missing_required[@]} > 0)); then fail 1 "still missing after the installation: ${missing_required[*]}"; fi
say "all required packages for ${wanted[*]} are installed (python: $interpreter)"
