#!/usr/bin/env bash
# installed_program_runs.sh BUILD_DIR: "cmake --install" into a fresh prefix leaves a program that runs from there, also after the prefix
# was moved, and that needs nothing of the build folder.
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

! readelf -d "$plumbline" | grep -E '(RPATH|RUNPATH)' | grep -F "$build" || fail "the installed program still looks into the build folder"
