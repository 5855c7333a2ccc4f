#!/usr/bin/env bash
# Builds the Valgrind that the emulated counters need where the system's cannot be linked: RHEL's and openSUSE's packages hold neither tool
# headers nor static libraries. It takes a few minutes and no root.
#
#   bash jobs/valgrind.sh              into build/valgrind, where the next build of Plumbline looks first
#   bash jobs/valgrind.sh PREFIX       elsewhere: BUILD/valgrind of another build folder, or Plumbline's own CMAKE_INSTALL_PREFIX
#   bash jobs/valgrind.sh --url URL    the source from there: a URL or a file (also: PLUMBLINE_VALGRIND_URL)
#
# The source is that of Debian's package, held against its checksum, from the Debian mirror that apt is set up with here, else from
# Debian's own. Built are what our tool is linked with, and the tools none, memcheck and cachegrind. Safe to repeat.
#
# Exit codes: 0 it is there · 1 the download or the build failed · 2 wrong use, or something is missing that building takes.
set -euo pipefail

readonly version=3.24.0
readonly file=valgrind_$version.orig.tar.bz2
readonly checksum=71aee202bdef1ae73898ccf7e9c315134fa7db6c246063afc503aef702ec03bd # SHA-256, of valgrind_3.24.0-3.dsc
readonly pool=pool/main/v/valgrind
readonly debian=http://deb.debian.org/debian

say() { printf 'valgrind: %s\n' "$*"; }

fail() {
  local code=$1
  shift
  printf 'valgrind: %s\n' "$*" >&2
  exit "$code"
}

usage() { sed -n '2,13s/^# \{0,1\}//p' "$0"; }

# The mirrors of Debian in apt's configuration, then Debian's own.
mirrors() {
  if command -v apt-get >/dev/null; then
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sort -u | sed -n 's,\(.*/debian\)/*$,\1,p'
  fi
  echo "$debian"
}

# fetch URL FILE: by what a bare Debian has, too.
fetch() {
  if [[ -f ${1#file://} ]]; then
    cp "${1#file://}" "$2"
  elif command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --max-time 600 --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --no-verbose --timeout=60 --output-document="$2" "$1"
  else
    /usr/lib/apt/apt-helper download-file "$1" "$2"
  fi
}

is_the_source() { echo "$checksum  $1" | sha256sum --check --status 2>/dev/null; }

# download FILE: the first of the places that has the right file.
download() {
  local place places=()
  if [[ -n $url ]]; then places=("$url"); else mapfile -t places < <(mirrors | awk -v end="/$pool/$file" '!seen[$0]++ { print $0 end }'); fi
  for place in "${places[@]}"; do
    say "downloading $place"
    if ! fetch "$place" "$1" >"$log" 2>&1; then
      say "not there: $(grep -v '^W:' "$log" | tail -n 1)"
    elif is_the_source "$1"; then
      return 0
    else
      say "$place is another file: its SHA-256 is not $checksum"
    fi
    rm -f "$1"
  done
  fail 1 "the source of valgrind $version could not be had; --url names another place (a file, too): $file, as Debian and valgrind.org have it"
}

# step WORDS COMMAND...: what it prints is seen where it fails.
step() {
  local words=$1
  shift
  say "$words [$SECONDS s]"
  "$@" >"$log" 2>&1 || { tail -n 15 "$log" >&2 && fail 1 "$words failed; its last lines are printed; the command was: $*"; }
}

# Without link-time optimization, in which calls that our tool takes over (vex_repairs.c) could be lost.
build() {
  cd "$work/valgrind-$version"
  step "configuring" ./configure --prefix="$prefix" --libdir="$prefix/lib" --enable-only64bit --enable-lto=no --with-mpicc=/bin/false
  step "building" make -j "$(nproc)" TOOLS="none memcheck cachegrind" EXP_TOOLS=
  step "installing into $prefix" make install TOOLS="none memcheck cachegrind" EXP_TOOLS=
  strip --strip-debug "$prefix"/libexec/valgrind/*-amd64-linux "$prefix"/lib/valgrind/*.a
}

is_there() {
  [[ -e $prefix/lib/valgrind/libcoregrind-amd64-linux.a && -e $prefix/include/valgrind/pub_tool_tooliface.h ]] &&
    [[ $("$prefix/bin/valgrind" --version 2>/dev/null) == "valgrind-$version" ]]
}

prefix=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/valgrind
url=${PLUMBLINE_VALGRIND_URL:-}
while (($# > 0)); do
  case $1 in
    --url) url=${2:-} && [[ -n $url ]] || fail 2 "--url needs a URL or a file" && shift ;;
    -h | --help) usage && exit 0 ;;
    -*) fail 2 "unknown option '$1'; try --url or --help" ;;
    *) prefix=$1 ;;
  esac
  shift
done
if [[ $prefix != /* ]]; then prefix=$PWD/$prefix; fi
if [[ $prefix =~ [[:space:]:] ]]; then fail 2 "Valgrind takes no folder with a blank or colon in its name: $prefix"; fi
if [[ $(uname -sm) != "Linux x86_64" ]]; then fail 2 "the emulated counters are for x86-64 Linux; this is $(uname -sm)"; fi

if is_there; then
  say "valgrind $version is in $prefix"
  exit 0
fi
missing=()
for tool in "${CC:-gcc}" make perl tar bzip2 sha256sum strip; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
((${#missing[@]} == 0)) || fail 2 "building takes what is not here: ${missing[*]}"
mkdir -p "$prefix" 2>/dev/null || true
[[ -w $prefix ]] || fail 2 "$prefix cannot be written"

work=$(mktemp -d "${TMPDIR:-/tmp}/plumbline-valgrind.XXXXXX")
trap 'rm -rf "$work"' EXIT
readonly log=$work/log
download "$work/$file"
tar -x -j -C "$work" -f "$work/$file"
build
is_there || fail 1 "$prefix/bin/valgrind does not run"
say "valgrind $version is in $prefix now [$SECONDS s]; configure Plumbline again: its emulated counters will be on"
