#!/usr/bin/env bash
# What of CUDA's tools the tests use and this machine lacks, from PyPI, into the virtual environment .venv of this checkout, where the
# build looks for them: a compiler and CUPTI where there is no CUDA 13, and the disassemblers, which many toolkits leave out.
#
#   bash jobs/cuda_wheels.sh            safe to repeat: with nothing missing it does nothing
#
# Exit code 0: all is there now · 1: something could not be had, in one line; the build then leaves it out, visibly.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
readonly place=.venv
readonly python=/usr/bin/python3
# Wheels of one CUDA fit together; the disassemblers read what older compilers wrote.
readonly compiler=(nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-cupti) compiler_version='13.0.*'
readonly disassemblers=(nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm) disassemblers_version=13.2.51

say() { printf 'cuda wheels: %s\n' "$*"; }

# The program NAME of a toolkit or of the wheels that are there already; the usual folder need not be on PATH.
program() {
  local found
  for found in "$(command -v "$1")" "${CUDA_HOME:-/usr/local/cuda}/bin/$1" "$place"/lib/python3*/site-packages/nvidia/cu13/bin/"$1"; do
    if [[ -x $found ]]; then echo "$found" && return 0; fi
  done
  return 1
}

compiles() {
  local nvcc
  nvcc=$(program nvcc) && [[ $("$nvcc" --version) =~ release\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 13))
}

# get VERSION WHEEL...
get() {
  local version=$1 why
  shift
  say "installing into $place, version $version: $*"
  if [[ ! -x $place/bin/pip ]] && ! why=$("$python" -m venv "$place" 2>&1); then
    say "no virtual environment can be made (package python3-venv): ${why##*$'\n'}" && return 1
  fi
  if why=$("$place/bin/pip" -q --disable-pip-version-check install --timeout 30 --retries 1 "${@/%/==$version}" 2>&1); then return 0; fi
  say "PyPI gave them not: ${why##*$'\n'}" && return 1
}

if [[ $(uname -m) != x86_64 ]]; then say "none are known for $(uname -m)" && exit 1; fi
status=0
compiles || get "$compiler_version" "${compiler[@]}" || status=1
{ program cuobjdump && program nvdisasm; } >/dev/null || get "$disassemblers_version" "${disassemblers[@]}" || status=1
if ((status == 0)); then say "compiler $(program nvcc), disassembler $(program nvdisasm)"; fi
exit "$status"
