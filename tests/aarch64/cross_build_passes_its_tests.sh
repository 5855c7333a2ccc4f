#!/usr/bin/env bash
# cross_build_passes_its_tests.sh SOURCE BUILD [CMAKE OPTIONS...]: builds the kernels for 64-bit Arm and runs their tests under qemu-user,
# with NEON alone and with SVE of every vector length that there are flavors for. It takes one core, and is the first of the tests to start, so that
# others run beside it to its end. 77 where the tools for it are missing.
set -euo pipefail
source=$1 build=$2
shift 2

skip() {
  echo "SKIP: $1 (Debian: apt-get install $2)"
  exit 77
}

command -v aarch64-linux-gnu-g++ >/dev/null || skip "no cross compiler aarch64-linux-gnu-g++" g++-aarch64-linux-gnu
command -v qemu-aarch64 >/dev/null || command -v qemu-aarch64-static >/dev/null || skip "no emulator qemu-aarch64" qemu-user
[[ -e /usr/src/googletest/CMakeLists.txt ]] || skip "no sources of GoogleTest in /usr/src/googletest" libgtest-dev

# Options for this machine's compiler are none for Arm's. The tests' own code is optimized little: compiling it takes most of the time.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS QEMU_CPU
cmake -S "$source" -B "$build" --toolchain "$source/harness/cmake/toolchains/aarch64-linux-gnu.cmake" -DPLUMBLINE_CORE_ONLY=ON \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 "$@" >"$build.configure.log" 2>&1 || {
  cat "$build.configure.log"
  exit 1
}
cmake --build "$build" --target isa_tests --parallel 1 >"$build.build.log" 2>&1 || {
  tail -n 60 "$build.build.log"
  exit 1
}
cd "$build"
ctest -L isa --output-on-failure
