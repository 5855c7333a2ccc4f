#!/usr/bin/env bash
# What of CUDA's tools the tests use and this machine lacks, from PyPI, into the virtual environment .venv of this checkout, where the
# build looks for them: a compiler and CUPTI where there is no CUDA 13, and the disassemblers, which many toolkits leave out.
#
#   bash jobs/cuda_wheels.sh            safe to repeat: with nothing missing it does nothing
#   bash jobs/cuda_wheels.sh --cuda12   and a CUDA 12 for the second module (drivers 525 to 575), into .venv/cuda12: its compiler is in no
#                                       wheel of PyPI, so it comes from Debian 13's package nvidia-cuda-toolkit (12.4), unpacked and not
#                                       installed; headers and runtime are PyPI's
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

# unpack WHEEL VERSION FOLDER
unpack() {
  "$place/bin/pip" -q --disable-pip-version-check download --no-deps --timeout 30 --retries 1 -d "$3" "$1==$2" &&
    "$python" -m zipfile -e "$3/${1//-/_}-$2"*.whl "$3/$1-$2" && rm -f "$3"/*.whl
}

# Debian 13's package, by this machine's own mirror of Debian, without touching the system's lists.
unpack_package() {
  local folder=$1 package=$2 mirror options
  # shellcheck disable=SC2016 # the format is apt's
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 2>/dev/null | head -n 1)
  [[ -n $mirror ]] || { echo "apt-get knows no mirror of Debian" >&2 && return 1; }
  mkdir -p "$folder"/apt/{lists,cache/archives}/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie non-free" >"$folder/apt/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/apt/lists"
    -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update && (cd "$folder" && apt-get "${options[@]}" download "$package") && dpkg -x "$folder/$package"_*.deb "$folder/$package"
}

# The toolkit of the parts, in the layout of NVIDIA's own.
cuda12() {
  local made=$place/cuda12 folder=$place/cuda12.part tools why
  if [[ -x $made/bin/nvcc ]]; then return 0; fi
  say "making a CUDA 12.4 in $made"
  rm -rf "$folder" && mkdir -p "$folder"/{bin,include,lib,nvvm/bin} || return 1
  folder=$(cd "$folder" && pwd)
  [[ -x $place/bin/pip ]] || "$python" -m venv "$place" || return 1
  if ! why=$({ unpack_package "$folder" nvidia-cuda-toolkit && unpack nvidia-cuda-runtime-cu12 12.4.127 "$folder" &&
    unpack nvidia-cuda-nvcc-cu12 12.4.131 "$folder" && unpack nvidia-cuda-runtime-cu12 12.9.79 "$folder"; } 2>&1); then
    rm -rf "$folder"
    say "no CUDA 12 could be made: ${why##*$'\n'}" && return 1
  fi
  tools=$folder/nvidia-cuda-toolkit/usr
  cp "$tools"/bin/{cudafe++,fatbinary,ptxas,nvlink,cuobjdump,nvdisasm} "$tools/lib/nvidia-cuda-toolkit/bin/nvcc" "$folder/bin/"
  cp "$tools/lib/nvidia-cuda-toolkit/bin/cicc" "$folder/nvvm/bin/"
  cp -r "$tools/lib/nvidia-cuda-toolkit/libdevice" "$folder/nvvm/"
  cp -r "$folder"/nvidia-cuda-runtime-cu12-12.4.127/nvidia/cuda_runtime/include/. "$folder"/nvidia-cuda-nvcc-cu12-12.4.131/nvidia/cuda_nvcc/include/. "$folder/include/"
  cp "$folder"/nvidia-cuda-runtime-cu12-12.9.79/nvidia/cuda_runtime/lib/libcudart_static.a "$folder/lib/" # that of 12.4 is in no wheel; a newer one of 12.x serves
  cat >"$folder/bin/nvcc.profile" <<'PROFILE'
TOP = $(_HERE_)/..
CICC_PATH = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(CICC_PATH):$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
PROFILE
  rm -rf "$folder"/{apt,nvidia-cuda-*}
  mv "$folder" "$made"
}

case ${1:-} in
  "" | --cuda12) ;;
  -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
  *) echo "cuda wheels: unknown option '$1'; try --cuda12 or --help" >&2 && exit 2 ;;
esac
if [[ $(uname -m) != x86_64 ]]; then say "none are known for $(uname -m)" && exit 1; fi
status=0
compiles || get "$compiler_version" "${compiler[@]}" || status=1
{ program cuobjdump && program nvdisasm; } >/dev/null || get "$disassemblers_version" "${disassemblers[@]}" || status=1
[[ ${1:-} != --cuda12 ]] || cuda12 || status=1
if ((status == 0)); then say "compiler $(program nvcc), disassembler $(program nvdisasm)"; fi
exit "$status"
