#!/usr/bin/env bash
# Packs what was built with all libraries that it needs, for machines that have a GPU but not these packages:
#
#   bash jobs/gpu/bundle.sh [BUILD FOLDER] OUT.tar.xz       the build folder is build-ci where none is named
#
# There:  mkdir plumbline && tar -xJf OUT.tar.xz -C plumbline && bash jobs/test.sh --gpu --programs plumbline
# (jobs/ and tests/ of the same sources are needed too: a checkout, or what the archive has in share.) What belongs to the driver and to the
# CUDA toolkit is left to that machine: libcuda, NVML, CUPTI, cuBLAS.
set -euo pipefail

fail() {
  printf 'bundle: %s\n' "$*" >&2
  exit 2
}

case ${1:-} in -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;; esac
build="build-ci"
if (($# == 2)); then build=$1 && shift; fi
(($# == 1)) || fail "one archive's name is needed; try --help"
out=$1
[[ -x $build/bin/plumbline ]] || fail "$build/bin/plumbline is not there; build first (cmake --preset ci && cmake --build build-ci)"
[[ -f $build/lib/libplumbline_cuda.so || -f $build/lib/libplumbline_cuda12.so ]] || fail "$build has no lib/libplumbline_cuda.so: it was built without the CUDA toolkit"
[[ -f $build/lib/libplumbline_cuda12.so ]] ||
  echo "bundle: warning: without libplumbline_cuda12.so nothing runs on drivers before 580: bash jobs/cuda_wheels.sh --cuda12, configure, build" >&2
[[ -f $build/lib/libplumbline_cuda.so ]] ||
  echo "bundle: warning: by CUDA 12 alone: no code for what CUDA 13 added; it was built without the CUDA toolkit 13" >&2
compgen -G "$build/lib/*.sass" >/dev/null ||
  echo "bundle: warning: without the module's code as text nothing stands in for refused counters: bash jobs/cuda_wheels.sh, configure, build" >&2

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$build" --prefix "$stage" --component Unspecified >/dev/null
rm -rf "$stage/lib/plumbline" # the emulator: where there is no Valgrind of this build it counts nothing

# The programs that ctest would run under the label gpu, by name.
cp "$build/tests/gpu_tests.txt" "$stage/bin/"
while read -r test; do
  [[ -x $build/tests/$test ]] || fail "the test $test is no program in $build/tests"
  cp "$build/tests/$test" "$stage/bin/"
done <"$stage/bin/gpu_tests.txt"

# Shared libraries, but libc's own, and those of driver and toolkit.
left_out='^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|libresolv|libcuda|libnvidia-ml|libcublas|libcublasLt|libcudnn\w*|libcupti|libnvperf_\w+)\.so'
find "$stage/bin" "$stage/lib" -type f -exec ldd {} \; 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u |
  { grep -Ev "$left_out" || true; } | while read -r name path; do
  [[ -e $stage/lib/$name ]] || cp -L "$path" "$stage/lib/$name"
done

mkdir -p "$(dirname "$out")"
tar -C "$stage" -cf - bin lib share | xz -T0 -6 >"$out"
printf 'bundle: %s, %d bytes, with the tests: %s\n' "$out" "$(stat -c %s "$out")" "$(paste -sd ' ' "$stage/bin/gpu_tests.txt")"
