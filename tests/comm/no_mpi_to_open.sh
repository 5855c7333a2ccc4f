#!/usr/bin/env bash
# no_mpi_to_open.sh PROGRAM ABI: ranks for which no MPI can be opened end with 2 and one line between them; a process that no launcher started
# asks for none. PROGRAM opens its MPI; one of ABI is here.
set -euo pipefail
program=$1 abi=$2
unset "${!PMI_@}" "${!SLURM_@}" "${!OMPI_@}" PLUMBLINE_MPI
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "$1" && cat "$folder/errors" && exit 1; }

# refused WORDS PROGRAM: two ranks, as a launcher would start them, one after the other.
refused() {
  local rank code
  : >"$folder/errors"
  for rank in 0 1; do
    code=0
    PMI_SIZE=2 PMI_RANK=$rank MPI_LOCALNRANKS=2 "$2" >/dev/null 2>>"$folder/errors" || code=$?
    [[ $code == 2 ]] || fail "rank $rank ended with $code instead of 2"
  done
  [[ $(wc -l <"$folder/errors") == 1 ]] || fail "expected one line between both"
  grep -q -- "$1" "$folder/errors" || fail "not said: $1"
}

PLUMBLINE_MPI=/nowhere/libmpi.so.12 refused "no MPI can be opened (/nowhere/libmpi.so.12: .*name its library" "$program"
PLUMBLINE_MPI=libmpi.so.12 refused "PLUMBLINE_MPI=libmpi.so.12 names no MPI" "$program"
LD_LIBRARY_PATH=: refused "LD_LIBRARY_PATH has an empty element" "$program"

mkdir "$folder/bin" # no module in ../lib
cp "$program" "$folder/bin/alone"
PLUMBLINE_MPI=$abi refused "$folder/lib/libplumbline_$abi.so: cannot open" "$folder/bin/alone"
"$folder/bin/alone" --gtest_list_tests >/dev/null 2>"$folder/errors" || fail "a process that no launcher started wants a module"
