#!/usr/bin/env bash
# installed_program_runs.sh BUILD_DIR: "cmake --install" into a fresh prefix leaves a program that runs from there, also after the prefix
# was moved: it measures, counts where valgrind is there, judges and draws with what was installed beside it, none of the build folder.
set -euo pipefail

build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" && exit 1; }

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { tail -n 20 "$work/install.log" && fail "cmake --install failed"; }
mv "$work/first" "$work/prefix"
plumbline=$work/prefix/bin/plumbline
[[ -x $plumbline ]] || fail "no bin/plumbline was installed; installed were: $(cd "$work/prefix" && find . -type f | head -n 40)"

cd "$work"
"$plumbline" --version || fail "--version ended with $?"
"$plumbline" list kernels >kernels.txt || fail "list kernels ended with $?"
grep -q 'validation/series' kernels.txt || fail "the installed program lists no validation/series: $(cat kernels.txt)"
"$plumbline" doctor || fail "doctor ended with $?"

cat >small.toml <<'TOML'
schema = "plumbline-campaign/1"
counters = "auto"

[timing]
min_seconds = 0.002
max_repetitions = 3

[[cases]]
kernel = "validation/series"
precision = "fp64"
flavor = "*-O3-v3"
params = { n = 3, m = 32 }
TOML
"$plumbline" run small.toml -o small.h5 || fail "run ended with $?"
"$plumbline" score small.h5 || fail "score ended with $?"
"$plumbline" report small.h5 || fail "report ended with $?"
[[ -n $(find . -name '*.png' -print -quit) ]] || fail "report drew nothing"

! readelf -d "$plumbline" | grep -E '(RPATH|RUNPATH)' | grep -F "$build" || fail "the installed program still looks into the build folder"
