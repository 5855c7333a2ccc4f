#!/usr/bin/env bash
# Builds and tests everything that can be tested on this machine; what cannot is skipped, with its reason in the list at the end.
#
#   bash jobs/test.sh           packages, build, tests, then the unit tests under AddressSanitizer and UBSan (there alone, where what they
#                               test is never timed); 60 minutes on 2 cores at most
#   bash jobs/test.sh --full    and the long ones (label full); those that passed with the same program are not run again, so an
#                               interrupted run can be repeated
#   bash jobs/test.sh --gpu     what needs an NVIDIA GPU, and nothing else: it installs and builds nothing, runs in parts and goes on where it
#                               stopped (jobs/gpu/run_parts.py; --help after --gpu tells its options)
#
# Build folders: build-ci, build-asan. Exit code 0: nothing failed.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# Where it was called: folders that its options name are meant from there.
if [[ ${1:-} == --gpu ]]; then
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "gpu: it needs a python3 of 3.11 or newer in PATH; here is $(python3 --version 2>/dev/null || echo none)" >&2 && exit 1
  fi
  exec python3 "$here/gpu/run_parts.py" "${@:2}"
fi
cd "$here/.." || exit 1
full=false
for argument in "$@"; do
  case $argument in
    --full) full=true ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "test: unknown option '$argument'; try --full, --help, or --gpu as the first" >&2 && exit 2 ;;
  esac
done

cores=$(nproc)
failed=0    # set when any stage failed; the later ones still run
summaries=() # of each stage, printed last
skipped=()
speed_table=build-ci/tests/emulator_speed/table.txt # written by a test

declare -A allowed_minutes=([packages]=3 [build]=11 [tests]=14 [sanitizers]=7) # the goal: 35 together, with nothing built before
source jobs/stage_table.sh

finish_stage() {
  end_stage "$1"
  printf '=== %s: %d s (total %d s)\n\n' "$1" "${stage_seconds[-1]}" "$SECONDS"
}

stop() {
  printf 'test: %s\n' "$*" >&2
  exit 1
}

# configure PRESET FOLDER [CMAKE OPTION...]
configure() {
  local preset=$1 folder=$2 log
  shift 2
  log=$folder/configure.log
  mkdir -p "$folder"
  cmake --preset "$preset" "$@" >"$log" 2>&1 || { tail -n 30 "$log" && return 1; }
  grep -E '^-- .*(Kernel flavors|left out|not built|absent|OFF)' "$log" || true
}

# run_tests TITLE FOLDER CTEST OPTION...: one ctest run; its summary and skips are kept for the end.
run_tests() {
  local title=$1 folder=$2 log status=0
  shift 2
  log=$folder/ctest-${title// /-}.log
  ctest --test-dir "$folder" --output-on-failure --no-tests=error --timeout 300 --output-junit "$PWD/$log.xml" "$@" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  ((status == 0)) || failed=1
  summaries+=("$title:" "$(grep -E '^[0-9]+% tests passed' "$log" || echo "ctest ended with $status before it had a summary")")
  mapfile -t -O "${#skipped[@]}" skipped < <(/usr/bin/python3 tests/skipped_tests.py "$log.xml")
  return "$status"
}

# Each long test by itself; its name is noted when it passed, beside the identity of the program that passed.
run_full_tests() {
  local identity passed name names=()
  identity=$(cat build-ci/bin/* 2>/dev/null | sha256sum | cut -c 1-16)
  passed=build-ci/full-passed-$identity
  touch "$passed"
  mapfile -t names < <(ctest --test-dir build-ci -N -L '^full$' | sed -n 's/^ *Test *#[0-9]*: //p')
  if ((${#names[@]} == 0)); then echo "there are no tests with the label full" && return 0; fi
  for name in "${names[@]}"; do
    if grep -qxF -- "$name" "$passed"; then
      echo "$name passed earlier with this program"
    elif run_tests "full $name" build-ci -R "^${name//./\\.}\$"; then
      echo "$name" >>"$passed"
    fi
  done
}

report() {
  if ((${#skipped[@]} > 0)); then
    echo "Skipped here, with the reason:"
    printf '  %s\n' "${skipped[@]}"
    echo
  fi
  if [[ -f $speed_table ]]; then echo "The emulated counters beside cachegrind, measured shortly while other tests ran:" && cat "$speed_table" && echo; fi
  print_stages
  echo
  printf '%s\n' "${summaries[@]}"
}

bash jobs/install.sh --tests || stop "installing packages failed"
# It says what is left out. The second module, by CUDA 12, is some minutes more: long tests only.
if $full; then bash jobs/cuda_wheels.sh --cuda12 || true; else bash jobs/cuda_wheels.sh || true; fi
finish_stage packages

# Both builds, and a later run's, share what was compiled already, also where that run lies in another folder. What a file includes is
# taken from the compiler (CCACHE_DEPEND), so that a file that is not in the cache is preprocessed once, not twice; what is compiled with
# precompiled headers is kept by these two words alone (CCACHE_SLOPPINESS).
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros
fi

# Kernels by GCC and clang, and by an older GCC for long tests; not by the clang that is here for the sanitizers. A compiler more is minutes more.
flavors="${CXX:-g++};clang++"
if $full; then flavors+=";g++-11"; fi
# Unit tests of what is never timed are built and run once, with sanitizers below, but for long tests.
if $full; then whole=(-DPLUMBLINE_CUDA12=AUTO -DPLUMBLINE_UNTIMED_TESTS=ON); else whole=(-DPLUMBLINE_CUDA12=OFF -DPLUMBLINE_UNTIMED_TESTS=OFF); fi
configure ci build-ci -DPLUMBLINE_FLAVOR_COMPILERS="$flavors" "${whole[@]}" ||
  stop "cmake (preset ci) failed"
cmake --build build-ci --parallel "$cores" || stop "the build (preset ci) failed"
finish_stage build

# One test more than there are cores at a time, since in most of them processes wait for each other. Tests that others could disturb carry
# RUN_SERIAL themselves; of those that wait more than they compute only one runs at a time (a lock).
at_once=$((cores + 1))
run_tests tests build-ci -LE '^full$' -j "$at_once"
finish_stage tests

if $full; then
  run_full_tests
  finish_stage "long tests"
fi

# Sanitizers, by clang where it is there: with them it compiles faster than GCC, and its warnings are others. One compiler's flavors are enough
# here: sanitizers leave the flavored kernels alone. Compiled is what the unit tests start.
# Line numbers would be a seventh of the compile time: traces name functions alone, and where a test fails it is said how to build with lines.
sanitizing=(-DPLUMBLINE_FLAVOR_COMPILERS="${CXX:-g++}" -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1)
clang=$(command -v clang-16 || command -v clang-19)
if [[ -n $clang ]]; then
  sanitizing+=(-DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="${clang/clang-/clang++-}")
  # A linker that is several times as fast, where it is installed.
  if command -v "$("$clang" -print-prog-name=ld.lld)" >/dev/null; then sanitizing+=(-DCMAKE_EXE_LINKER_FLAGS_INIT=-fuse-ld=lld); fi
fi
rm -f build-asan/CMakeCache.txt # of another compiler it would be configured again without the preset's settings
if configure asan build-asan "${sanitizing[@]}" && cmake --build build-asan --target sanitized_tests --parallel "$cores"; then
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
  ASAN_SYMBOLIZER_PATH=$(command -v addr2line) && export ASAN_SYMBOLIZER_PATH # clang's own is in no package needed here
  # Tested above: what starts no program of the build (sources), how often judgements err (rates), which repeats for minutes what other tests
  # do once, and what is written in Python (python), for which the program only reads files.
  left_out='sources|rates|python'
  $full || left_out+="|long" # there it takes a minute or more
  run_tests "unit tests under ASan and UBSan" build-asan -L '^unit$' -LE "^($left_out)\$" -j "$at_once" || summaries+=(
    "with lines in the traces (before the next run of jobs/test.sh):" "cmake -B build-asan -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -g1' -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' \
&& cmake --build build-asan --target sanitized_tests && UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir build-asan --rerun-failed --output-on-failure")
else
  failed=1
  summaries+=("unit tests under ASan and UBSan:" "the build (preset asan) failed")
fi
finish_stage sanitizers

report
exit "$failed"
