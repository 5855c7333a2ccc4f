#!/usr/bin/env bash
# fuzz.sh SOURCE BUILD SECONDS: builds the readers of foreign files with libFuzzer (preset fuzz), and runs each for so long, from the files that
# its test begins with; BUILD/fuzz.json says what came of it (tests/golden/fuzz.json is one that was kept). PLUMBLINE_READERS="journal store": those
# alone. Exit code 1 where one crashed: what it was given lies in BUILD/found. 77 without clang's runtime for it.
set -euo pipefail
source=$1 build=$2 seconds=$3

clang=$(command -v clang++-16 || command -v clang++ || true)
if [[ -z $clang ]] || ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  "$clang" -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
  echo "SKIP: no clang with libFuzzer (Debian: apt-get install clang-16 libclang-rt-16-dev)"
  exit 77
fi

build_readers() {
  set -e
  cmake -S "$source" --preset fuzz -B "$build" -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/++/}"
  cmake --build "$build" --target fuzzers --parallel "$(nproc)"
}
if ! (build_readers >"$build.log" 2>&1); then
  tail -n 40 "$build.log"
  exit 1
fi

# What HDF5's library keeps of a file that it gives up is not ours to free.
export ASAN_OPTIONS=detect_leaks=0
failed=0 told=()
for reader in ${PLUMBLINE_READERS:-journal store unchecked tables imports profile settings}; do
  folder=$build/corpus/$reader
  mkdir -p "$folder" "$build/found"
  PLUMBLINE_WRITE_SEEDS=$folder "$build/tests/reader_${reader}_test" >/dev/null
  echo "$reader, $seconds s:"
  "$build/tests/fuzz_$reader" "$folder" -max_total_time="$seconds" -max_len=200000 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$build/found/$reader-" >"$build/$reader.log" 2>&1 || failed=1
  grep -E '^stat::|ERROR|SUMMARY|Test unit written' "$build/$reader.log" || tail -n 5 "$build/$reader.log"
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$reader.log")
  crashes=$(find "$build/found" -name "$reader-*" ! -name '*-slow-unit-*' | wc -l) # a machine with other work makes any unit slow
  told+=("    \"$reader\": {\"executions\": ${executions:-0}, \"seconds\": $seconds, \"crashes\": $crashes}")
done
{
  printf '{\n  "command": "tests/fuzz/fuzz.sh . build-fuzz %s",\n  "date": "%s",\n' "$seconds" "$(date -u +%F)"
  printf '  "clang": "%s",\n  "readers": {\n' "$("$clang" --version | head -n 1)"
  printf '%s,\n' "${told[@]}" | sed '$ s/,$//'
  printf '  }\n}\n'
} >"$build/fuzz.json"
exit "$failed"
