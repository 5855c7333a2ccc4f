#!/usr/bin/env bash
# Installs the Debian packages that Plumbline needs and that this machine lacks. Safe to repeat: with nothing missing it only asks dpkg.
# Where nothing can be installed (no apt-get, no root) it looks whether what is needed is there in another way: modules, Spack, by hand.
#
#   bash jobs/install.sh              what building, running and drawing need
#   bash jobs/install.sh --tests      the same and what the tests need
#   bash jobs/install.sh --no-figures what building and running need
#   bash jobs/install.sh --figures    what drawing needs, and nothing else
#   bash jobs/install.sh --list       print the lists, one line a purpose, and stop
#   bash jobs/install.sh --check      install nothing: say what is missing
#
# Exit codes: 0 everything required is there · 1 an installation failed · 2 something is missing and cannot be installed from here.
# Root installs directly, anybody else through "sudo -n"; where neither works what is missing is listed with the commands that get it,
# to be handed to whoever may run them, and what works without it is said.
set -euo pipefail

# One list a purpose. Tried on Debian 12 (bookworm) and 13 (trixie); "a|b" is the first that there is in this Debian (13 has no g++ before
# 12, of which one is wanted beside a newer one). The serial HDF5 is the one wanted (one rank writes): python3-h5py-mpi, python3-mpi4py
# and libhdf5-openmpi-dev are left out on purpose, as they bring a second MPI that nothing here is built with. Only the tests have one,
# Open MPI, whose programs the emulator must count. With it Debian's "mpicc" and "mpiexec" become Open MPI's; the build, the jobs and
# the tests name MPICH's (mpicxx.mpich, mpiexec.mpich).
declare -A required=(
  [build]="build-essential cmake ninja-build pkg-config mpich libmpich-dev libhdf5-dev libhwloc-dev libpapi-dev libpfm4-dev
    libopenblas-dev libbenchmark-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev valgrind"
  [run]="mpich valgrind hdf5-tools numactl"
  [figures]="python3 python3-numpy python3-h5py python3-pandas python3-matplotlib python3-plotly"
  [tests]="libgtest-dev python3-pytest python3-scipy iproute2 util-linux"
)

# Without these something is left out, visibly, and the rest works: more kernel flavors, or tests that skip with their reason.
declare -A optional=(
  [build]="clang g++-11|g++-14 ccache libdw-dev libdnnl-dev libsuperlu-dev libmumps-seq-dev"
  [run]="papi-tools"
  [figures]=""
  [tests]="gcc-11|gcc-14 shellcheck slurm-wlm munge likwid gfortran libfftw3-dev datamash sqlite3 g++-aarch64-linux-gnu qemu-user
    libbenchmark-tools libxml2-utils groff-base environment-modules python3-venv strace clang-16|clang-19
    libclang-rt-16-dev|libclang-rt-19-dev libomp-16-dev|libomp-19-dev openmpi-bin libopenmpi-dev libmumps-dev
    mkdocs-material doxygen python3-jsonschema chromium-headless-shell"
)

# Where no package can be installed: how the same thing is looked for, Spack's name for it, and what is left out without it (where nothing
# is said it is required). Packages that are not here are for looking at things: no command needs them.
readonly needs=(
  "build-essential|compiler|gcc@11:|"
  "cmake|cmake|cmake@3.22:|"
  "ninja-build|program ninja|ninja|"
  "pkg-config|program pkg-config|pkgconf|"
  "mpich|program mpiexec.mpich mpiexec.hydra mpiexec|mpich|"
  "libmpich-dev|found MPI|mpich|"
  "libhdf5-dev|found HDF5|hdf5~mpi|"
  "libhwloc-dev|found hwloc|hwloc|"
  "libbenchmark-dev|found benchmark|benchmark|"
  "libcli11-dev|found CLI11|cli11|"
  "libtomlplusplus-dev|found tomlplusplus|tomlplusplus|"
  "nlohmann-json3-dev|found nlohmann_json|nlohmann-json|"
  "libfmt-dev|found fmt|fmt|"
  "valgrind|found valgrind|valgrind~mpi~boost|emulated counters (they need Valgrind's tool headers and static libraries, which some distributions leave out: bash jobs/valgrind.sh builds them)"
  "libpapi-dev|found papi|papi+sde|hardware counters by PAPI"
  "libopenblas-dev|found openblas|openblas|kernels of BLAS"
  "python3|python|python|figures"
  "python3-numpy|python numpy|py-numpy|figures"
  "python3-h5py|python h5py|py-h5py|figures"
  "python3-pandas|python pandas|py-pandas|figures"
  "python3-matplotlib|python matplotlib|py-matplotlib|figures"
  "libgtest-dev|found GTest|googletest|"
  "python3-pytest|python pytest|py-pytest|tests in Python"
)

# Debian's, which sees the python3-* packages; another python3 may come first on PATH.
readonly interpreter=${PLUMBLINE_PYTHON:-/usr/bin/python3}

# Where jobs/valgrind.sh puts a Valgrind of ours.
own_valgrind=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/valgrind
readonly own_valgrind

usage() { sed -n '2,15s/^# \{0,1\}//p' "$0"; }

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

# missing_of PACKAGE...: prints those that dpkg, where there is one, does not hold as fully installed.
missing_of() {
  local installed="" entry package names
  (($# > 0)) || return 0
  if command -v dpkg-query >/dev/null; then
    read -r -a names <<<"${*//|/ }"
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
  fi
  for entry in "$@"; do
    for package in ${entry//|/ }; do
      if grep -qxF -- "$package" <<<"$installed"; then continue 2; fi
    done
    printf '%s\n' "$entry"
  done | sort -u
}

# Of each "a|b" the first that this Debian has; a name that it has not is for "apt-get install" to refuse.
names_here() {
  local entry package
  for entry in "$@"; do
    for package in ${entry//|/ }; do
      if apt-cache pkgnames "$package" 2>/dev/null | grep -xF -- "$package"; then continue 2; fi
    done
    echo "${entry%%|*}"
  done
}

# How to become root, as words to put before a command; empty for root itself. Fails when there is no way, or no use for it.
root_prefix() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 1
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

# Names alone: "g++-11", where there is none, would be taken for a pattern, and whatever matches installed.
apt_install() {
  "${as_root[@]}" apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -o APT::Cmd::Pattern-Only=true \
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

# What CMake finds of `needs`, a line a thing, by the same ways as the build: so in what modules and Spack name (CMAKE_PREFIX_PATH,
# PKG_CONFIG_PATH), too.
found_by_cmake() {
  local folder
  folder=$(mktemp -d)
  cat >"$folder/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(needs LANGUAGES C CXX)
find_package(PkgConfig QUIET)
foreach(package benchmark CLI11 fmt GTest tomlplusplus)
  find_package(${package} QUIET)
endforeach()
find_package(nlohmann_json 3.9 QUIET)
find_package(HDF5 QUIET COMPONENTS C)
if(HDF5_IS_PARALLEL)
  set(HDF5_FOUND OFF)
endif()
find_program(mpicxx mpicxx.mpich)
if(mpicxx)
  set(MPI_CXX_COMPILER ${mpicxx})
endif()
find_package(MPI QUIET COMPONENTS CXX)
if(PkgConfig_FOUND)
  pkg_check_modules(hwloc QUIET hwloc)
  pkg_check_modules(serial QUIET hdf5-serial)
  pkg_check_modules(tool QUIET valgrind)
endif()
if(serial_FOUND)
  set(HDF5_FOUND ON)
endif()
find_path(valgrind_header pub_tool_tooliface.h HINTS ${OWN}/include ${tool_INCLUDE_DIRS} ${tool_INCLUDEDIR}/valgrind PATH_SUFFIXES valgrind)
find_library(valgrind_library libcoregrind-amd64-linux.a HINTS ${OWN}/lib ${tool_LIBDIR} PATH_SUFFIXES valgrind)
if(valgrind_header AND valgrind_library)
  set(valgrind_FOUND ON)
endif()
find_library(papi_FOUND sde)
find_library(openblas_FOUND openblas)
foreach(one benchmark CLI11 fmt GTest tomlplusplus nlohmann_json HDF5 MPI hwloc valgrind papi openblas)
  if(${one}_FOUND)
    message(STATUS "found ${one}")
  endif()
endforeach()
CMAKE
  cmake -S "$folder" -B "$folder/build" -D OWN="$own_valgrind" 2>/dev/null | sed -n 's/^-- \(found .*\)/\1/p' || true
  rm -rf "$folder"
}

# at_least VERSION LEAST
at_least() { printf '%s\n%s\n' "$2" "$1" | sort --check=quiet --version-sort; }

# there HOW NAME...: whether it is here though it is no package of dpkg's.
there() {
  local how=$1 version name
  shift
  case $how in
    program)
      for name in "$@"; do
        if command -v "$name" >/dev/null; then return 0; fi
      done
      return 1
      ;;
    compiler)
      version=$("${CXX:-c++}" -dumpversion 2>/dev/null) || return 1
      at_least "$version" 11 || { warn "${CXX:-c++} is version $version: C++20 takes g++ 11 or newer (CC and CXX name others)" && return 1; }
      ;;
    cmake)
      version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')
      [[ -n $version ]] || return 1
      at_least "$version" 3.22 || { warn "cmake is version $version: 3.22 is needed" && return 1; }
      ;;
    python) "$interpreter" -c "import sys${1:+, $1}; sys.exit(sys.version_info < (3, 9))" 2>/dev/null ;;
    found) grep -qxF "found $1" <<<"$found" ;;
  esac
}

# Ends here: with 0 where nothing that is required is missing.
look_elsewhere() {
  local need package how spack without specs names=() spacks=() for_apt=" ${missing_required[*]} "
  found=$(found_by_cmake)
  for need in "${needs[@]}"; do
    IFS='|' read -r package how spack without <<<"$need"
    if [[ " ${missing_required[*]} " != *" $package "* ]]; then continue; fi
    read -r -a how <<<"$how"
    if there "${how[@]}"; then for_apt=${for_apt/ $package / } && continue; fi
    if [[ -n $without ]]; then
      warn "without $package: no $without (Spack: $spack)"
    else
      names+=("$package")
      spacks+=("$spack")
    fi
  done
  mapfile -t missing_optional < <(names_here "${missing_optional[@]}")
  if command -v apt-get >/dev/null && ((${#missing_optional[@]} > 0)); then
    warn "optional packages that are missing: ${missing_optional[*]}"
  fi
  if ((${#names[@]} == 0)); then
    say "everything required for ${wanted[*]} is installed"
    exit 0
  fi
  printf 'install: missing: %s\n' "${names[*]}" >&2
  if command -v apt-get >/dev/null; then
    printf 'install: as root: apt-get update && apt-get install --no-install-recommends %s\n' "${for_apt# }${missing_optional[*]}" >&2
  fi
  specs=$(printf '%s\n' "${spacks[@]}" | sort -u | paste -s -d ' ')
  printf 'install: by other ways: environment modules of this site (module avail), or Spack: spack install %s && spack load %s\n' "$specs" "$specs" >&2
  printf 'install: then once more; looked at are PATH, CXX, CMAKE_PREFIX_PATH, PKG_CONFIG_PATH and PLUMBLINE_PYTHON\n' >&2
  exit 2
}

wanted=(build run figures)
check_only=false
for argument in "$@"; do
  case $argument in
    --tests) wanted+=(tests) ;;
    --no-figures) wanted=(build run) ;;
    --figures) wanted=(figures) ;;
    --list) print_lists && exit 0 ;;
    --check) check_only=true ;;
    -h | --help) usage && exit 0 ;;
    *) fail 2 "unknown option '$argument'; try --tests, --no-figures, --figures, --list, --check or --help" ;;
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

mapfile -t missing_required < <(missing_of "${required_names[@]}")
mapfile -t missing_optional < <(missing_of "${optional_names[@]}")

if ((${#missing_required[@]} + ${#missing_optional[@]} == 0)); then
  say "all packages for ${wanted[*]} are installed (python: $interpreter)"
  exit 0
fi

if $check_only || ! prefix=$(root_prefix); then
  $check_only || say "no package can be installed from here: that takes dpkg, apt-get and root, or a 'sudo -n' that works" >&2
  look_elsewhere
fi
read -r -a as_root <<<"$prefix"

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
update_lists
mapfile -t missing_required < <(names_here "${missing_required[@]}")
mapfile -t missing_optional < <(names_here "${missing_optional[@]}")
install_required "${missing_required[@]}"
install_optional "${missing_optional[@]}"

mapfile -t missing_required < <(missing_of "${required_names[@]}")
if ((${#missing_required[@]} > 0)); then fail 1 "still missing after the installation: ${missing_required[*]}"; fi
say "all required packages for ${wanted[*]} are installed (python: $interpreter)"
