#!/usr/bin/env bash
# Makes a Plumbline that is carried to other machines: plumbline-VERSION-linux-x86_64.tar.xz, and a wheel of the same for pip.
#
#   bash jobs/bundle.sh [-o DIR] [--parallel N] [-DOPTION=VALUE...]     into DIR (default: build-bundle); -D as CMake has it, for plumbline
#
# What is in it runs where the C library is glibc 2.28 or newer (RHEL 8, SLES 15 SP3, Debian 10 and later), without root, compiler, MPI, Python
# or Valgrind of the machine: the program, the emulator with a Valgrind of its own, a module for each ABI of MPI, the module for GPUs where there
# is a CUDA toolkit, campaigns, documents and the package that draws. How that is done: jobs/bundle/README.md.
#
# It takes Debian 12 or 13 with g++ 12, cmake, ninja, apt-get and xz, no root, and 25 minutes of CPU time; all of it lies in build-bundle/
# and is used again. Debian's packages come from the mirror in PLUMBLINE_DEBIAN_MIRROR (default: http://deb.debian.org/debian).
#
# Exit codes: 0 both are there · 1 a step failed · 2 wrong use, or something is missing that building takes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly here parts=$here/jobs/bundle work=$here/build-bundle
readonly sysroot=$work/sysroot build=$work/build
readonly mirror=${PLUMBLINE_DEBIAN_MIRROR:-http://deb.debian.org/debian} keyring=/usr/share/keyrings/debian-archive-keyring.gpg
readonly oldest_glibc=2.28 triplet=x86_64-linux-gnu

# Whose C library it is that everything is compiled and linked against, and, of g++ 10, the part of the runtime that g++ 12's compiler shares
# with the C library of its day.
readonly old_suite=bullseye old_packages=(libc6 libc6-dev linux-libc-dev libcrypt-dev libgcc-10-dev)
# Whose static libraries and headers come along, and which libraries have no static one there and are compiled from its sources.
readonly suite=bookworm sources=(fmtlib benchmark)
readonly packages=(gcc-12-base libgcc-12-dev libstdc++-12-dev libhdf5-dev libhwloc-dev zlib1g-dev libaec-dev libcli11-dev libtomlplusplus-dev
  nlohmann-json3-dev libmpich-dev libopenmpi-dev)

usage() { sed -n '2,15s/^# \{0,1\}//p' "$0"; }

say() { printf 'bundle: %s [%d s]\n' "$*" "$SECONDS"; }

fail() {
  local code=$1
  shift
  printf 'bundle: %s\n' "$*" >&2
  exit "$code"
}

# step WORDS COMMAND...: what it prints is in a log, and seen where it fails. In the background, where every failing line of a function ends it.
step() {
  local words=$1
  shift
  say "$words"
  "$@" >"$work/log" 2>&1 &
  wait $! || { tail -n 20 "$work/log" >&2 && fail 1 "$words failed; its last lines are printed; the command was: $*"; }
}

require_tools() {
  local tool missing=()
  for tool in gcc-12 g++-12 cmake ninja apt-get dpkg-deb dpkg-source xz objdump git python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  ((${#missing[@]} == 0)) || fail 2 "building takes what is not here: ${missing[*]} (bash jobs/install.sh; apt-get install g++-12 dpkg-dev)"
  [[ -e $keyring ]] || fail 2 "no $keyring: apt cannot tell Debian's packages from others'"
  [[ $(uname -sm) == "Linux x86_64" ]] || fail 2 "a bundle is made for and on x86-64 Linux; this is $(uname -sm)"
}

# ------------------------------------------------------------------------------------------------ what Debian gives

# apt SUITE ARGUMENTS...: an apt of its own, which knows this suite alone and nothing of this machine's packages.
apt() {
  local state=$work/apt/$1
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  printf '%s [signed-by=%s] %s %s main\n' deb "$keyring" "$mirror" "$1" deb-src "$keyring" "$mirror" "$1" >"$state/sources.list"
  apt-get -q -o Dir::State="$state" -o Dir::State::lists="$state/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache" \
    -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=- -o APT::Architecture=amd64 -o APT::Sandbox::User=root "${@:2}"
}

# fetch SUITE PACKAGE...
fetch() {
  mkdir -p "$work/packages/$1" && cd "$work/packages/$1"
  apt "$1" update && apt "$1" download "${@:2}"
}

fetch_sources() {
  mkdir -p "$work/sources" && cd "$work/sources"
  apt "$suite" source "${sources[@]}"
}

# The source that jobs/valgrind.sh would fetch: it goes into the bundle with what is made of it.
fetch_valgrind() {
  [[ -e $valgrind_source ]] || /usr/lib/apt/apt-helper download-file "$mirror/pool/main/v/valgrind/${valgrind_source##*/}" "$valgrind_source"
}

unpack() {
  local package
  for package in "$@"; do dpkg-deb --extract "$package" "$sysroot"; done
}

# g++ 12 looks beside itself for what programs begin with, and for libraries, before it looks there: -B comes first.
readonly prefixes=(-B"$sysroot/usr/lib/gcc/$triplet/12" -B"$sysroot/usr/lib/$triplet" -B"$sysroot/lib/$triplet")

compile() { gcc-12 --sysroot="$sysroot" -O2 -fPIC -Wall -Wextra -c "$1" -o "$work/$(basename "$1" .c).o"; }

# The folder that is to compilers what / is on an older Debian: its C library, and of the newer one what is linked statically.
make_sysroot() {
  local stand_ins=$sysroot/usr/lib/stand_ins
  rm -rf "$sysroot" && mkdir -p "$sysroot" "$stand_ins"
  unpack "$work/packages/$suite"/*.deb
  # Shared libraries of the newer Debian are for nobody here; links to those that are no longer there least of all.
  find "$sysroot" -name '*.so*' -not -path '*/gcc/*' -delete
  rm -f "$sysroot/usr/lib/gcc/$triplet"/12/*.so*
  unpack "$work/packages/$old_suite"/*.deb
  local link
  while read -r -d '' link; do ln -sfn "$sysroot$(readlink "$link")" "$link"; done < <(find "$sysroot" -type l -lname '/*' -print0)
  # g++ puts libgcc_eh behind all others: what is there is found by its own libstdc++, too, which takes threads to be in libc.
  mv "$sysroot/usr/lib/gcc/$triplet/10/libgcc_eh.a" "$stand_ins/libruntime.a" && rm -rf "$sysroot/usr/lib/gcc/$triplet/10"
  compile "$parts/old_glibc.c" && ar -r "$stand_ins/libruntime.a" "$work/old_glibc.o"
  echo 'GROUP(-lruntime -lpthread -lm)' >"$stand_ins/libgcc_eh.a"
  compile "$parts/no_udev.c" && ar -r "$stand_ins/libudev.a" "$work/no_udev.o"
  printf '#!/bin/sh\nexec gcc-12 --sysroot=%s %s "$@"\n' "$sysroot" "${prefixes[*]}" >"$work/gcc" && chmod +x "$work/gcc"
}

# toml++ is one file to its users, and Debian's package means the shared library that it has made of it.
add_tomlplusplus() {
  local library=$sysroot/usr/lib/$triplet/libtomlplusplus.a
  printf '#define TOML_IMPLEMENTATION\n#include <toml++/toml.h>\n' |
    g++-12 --sysroot="$sysroot" -std=c++20 -O2 -fPIC -DTOML_HEADER_ONLY=0 -x c++ -c - -o "$work/tomlplusplus.o"
  rm -f "$library" && ar -r "$library" "$work/tomlplusplus.o"
  sed -i 's/libtomlplusplus\.so/libtomlplusplus.a/; s/-DTOML_SHARED_LIB=1//' "$sysroot/usr/lib/$triplet/cmake/tomlplusplus/tomlplusplusConfig.cmake"
}

# configure FOLDER BUILD OPTION...: with CMake, for the older C library.
configure() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$parts/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release "${@:3}"
}

# add_library SOURCE OPTION...: a static library that Debian has the source of, into the sysroot.
add_library() {
  local folder
  folder=$(find "$work/sources" -maxdepth 1 -type d -name "$1-*" -print -quit)
  configure "$folder" "$work/libraries/$1" -DCMAKE_INSTALL_PREFIX="$sysroot/usr" -DCMAKE_INSTALL_LIBDIR="lib/$triplet" -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON "${@:2}"
  cmake --build "$work/libraries/$1" --parallel "$jobs"
  cmake --install "$work/libraries/$1"
}

# ------------------------------------------------------------------------------------------------ what we build

build_valgrind() { CC=$work/gcc bash "$here/jobs/valgrind.sh" --url "$valgrind_source" "$build/valgrind"; }

configure_plumbline() {
  configure "$here" "$build" -DPLUMBLINE_TESTS=OFF -DPLUMBLINE_WITH_MPI=LOADED -DPLUMBLINE_WITH_PAPI=OFF -DPLUMBLINE_WITH_EMULATOR=ON \
    -DPLUMBLINE_FLAVOR_COMPILERS="$flavor_compilers" -DPLUMBLINE_CUDA_HOST_COMPILER=g++-12 \
    -DPLUMBLINE_MPICH_INCLUDE="$sysroot/usr/include/$triplet/mpich" -DPLUMBLINE_OPENMPI_INCLUDE="$sysroot/usr/lib/$triplet/openmpi/include" \
    "${options[@]}"
}

# ------------------------------------------------------------------------------------------------ what is handed on

install_plumbline() {
  rm -rf "$bundle" && mkdir -p "$bundle"
  cmake --install "$build" --prefix "$bundle" --component Unspecified --strip
  cmake --install "$build" --prefix "$bundle" --component emulator --strip
  cp "$parts/README.md" "$here/LICENSE" "$bundle"
  mkdir -p "$bundle/share/doc/plumbline"
  cp "$here/README.md" "$bundle/share/doc/plumbline"
}

# The emulator is under the GPL, with Valgrind, and apart from the rest: its folder has its licence and the sources of both.
add_emulator_sources() {
  local folder=$bundle/lib/plumbline/valgrind
  # The launcher asks memcheck, its preset tool, for the version.
  rm -f "$folder"/{none,cachegrind,getoff}-* "$folder"/vgpreload_memcheck-* "$folder"/*.xml "$folder"/dh_view.*
  mkdir "$folder/source"
  cp "$valgrind_source" "$here/jobs/valgrind.sh" "$folder/source"
  git -C "$here" archive --prefix=plumbline/ HEAD harness/emulator harness/cmake LICENSE | xz >"$folder/source/plumbline-emulator.tar.xz"
  cp "$parts/EMULATOR.md" "$folder/README.md"
}

# What of others is linked in, each with its licence.
add_licences() {
  local folder=$bundle/share/doc/plumbline/licences package
  mkdir -p "$folder"
  for package in libhdf5-dev libhwloc-dev zlib1g-dev libaec-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev gcc-12-base; do
    cp -L "$sysroot/usr/share/doc/$package/copyright" "$folder/${package%-dev}"
  done
  for package in "${sources[@]}"; do cp "$work/sources/$package"-*/debian/copyright "$folder/$package"; done
}

pack() {
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -c "$(basename "$bundle")" | xz -6 -T 0 >"$out/$(basename "$bundle").tar.xz"
  python3 -B "$parts/wheel.py" "$bundle" "$version" "${oldest_glibc/./_}" "$here/analysis/plumbline_analysis" "$out"
}

# MAIN
out=$work
jobs=$(nproc)
options=()
while (($# > 0)); do
  case $1 in
    -o | --output) out=${2:-} && [[ -n $out ]] || fail 2 "-o needs a folder" && shift ;;
    --parallel) jobs=${2:-} && [[ $jobs =~ ^[1-9][0-9]*$ ]] || fail 2 "--parallel needs a number" && shift ;;
    -D?*=*) options+=("$1") ;;
    -h | --help) usage && exit 0 ;;
    *) fail 2 "unknown argument '$1'; try -o, --parallel or --help" ;;
  esac
  shift
done
require_tools
mkdir -p "$work" "$out"
out=$(cd "$out" && pwd)
version=$(sed -n 's/^project(plumbline VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
readonly bundle=$work/plumbline-$version-linux-x86_64
valgrind_source=$work/sources/valgrind_$(sed -n 's/^readonly version=//p' "$here/jobs/valgrind.sh").orig.tar.bz2
flavor_compilers="g++-12$(command -v clang++ >/dev/null && echo ';clang++')"
export PLUMBLINE_SYSROOT=$sysroot PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig
export NVCC_APPEND_FLAGS="-Xcompiler --sysroot=$sysroot"

step "fetching the C library of $old_suite" fetch "$old_suite" "${old_packages[@]}"
step "fetching the libraries of $suite" fetch "$suite" "${packages[@]}"
step "fetching sources" fetch_sources
step "fetching the source of Valgrind" fetch_valgrind
step "laying out what is compiled against" make_sysroot
step "compiling toml++" add_tomlplusplus
step "compiling fmt" add_library fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
step "compiling Google Benchmark" add_library benchmark -DBENCHMARK_ENABLE_TESTING=OFF -DBENCHMARK_ENABLE_GTEST_TESTS=OFF \
  -DBENCHMARK_ENABLE_LIBPFM=OFF -DBENCHMARK_ENABLE_WERROR=OFF -DGIT_VERSION=0.0.0 # which is: what its sources say
step "compiling Valgrind" build_valgrind
step "configuring plumbline" configure_plumbline
step "compiling plumbline" cmake --build "$build" --parallel "$jobs"
step "installing it" install_plumbline
step "adding the emulator's sources" add_emulator_sources
step "adding the licences of others" add_licences
step "looking what it wants of a machine" bash "$parts/needs.sh" "$bundle" "$oldest_glibc"
step "packing" pack
say "in $out: $(cd "$out" && du -h "$(basename "$bundle").tar.xz" plumbline-"$version"-*.whl | paste -s -d ' ')"
