#!/usr/bin/env bash
# A bare Debian in a folder, for the scripts beside this one, which source it, declare their `settings` and `flags`, and name its folder as `root`.
# shellcheck disable=SC2154 # that variable
# shellcheck disable=SC2034 # words: for them

readonly mirror=${PLUMBLINE_DEBIAN_MIRROR:-http://deb.debian.org/debian}
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# The options: those with a value, each with the one it has where it is not given (--ccache FOLDER is seen inside as /ccache; empty: none), and
# those without.
declare -A settings=([--suite]=bookworm [--ccache]="")
declare -A flags=()

say() { printf '%s: %s (%d s)\n' "$(basename "$0" .sh)" "$*" "$SECONDS"; }

wrong_use() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2 && exit 2; }

# read_options ARGUMENT...: sets `settings`, of `flags` those given to "true", and `words` to the rest.
read_options() {
  words=()
  while (($# > 0)); do
    if [[ $1 != -* ]]; then
      words+=("$1")
    elif [[ -v flags[$1] ]]; then
      flags[$1]=true
    elif [[ -v settings[$1] ]]; then
      [[ -n ${2:-} ]] || wrong_use "$1 needs a value"
      settings[$1]=$2
      shift
    else
      wrong_use "unknown option $1"
    fi
    shift
  done
  suite=${settings[--suite]} cache=${settings[--ccache]}
}

skip() { echo "SKIP: $*" && exit 77; }

# in_a_namespace ARGUMENT...: the script again with these arguments, in a mount namespace of its own, so that nothing stays mounted however it ends.
in_a_namespace() {
  [[ $(id -u) == 0 ]] || skip "needs root for debootstrap and chroot"
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  if [[ ${PLUMBLINE_CHROOT_NAMESPACE:-} == 1 ]]; then return 0; fi
  exec env PLUMBLINE_CHROOT_NAMESPACE=1 unshare --mount --propagation private bash "$0" "$@"
}

bootstrap() {
  if [[ -x $root/usr/bin/dpkg ]]; then
    say "using the system that is in $root"
  else
    mkdir -p "$(dirname "$root")"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
      { tail -n 5 "$root.log" && exit 1; }
    say "bootstrapped a bare $suite into $root"
  fi
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$root/etc/hosts" # MPICH 3 asks for the address of its host
  if grep -qs "$suite" /etc/apt/sources.list.d/debian.sources; then
    cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/" && rm -f "$root/etc/apt/sources.list"
  fi
  echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90mirror" # a mirror of sid may be weeks behind
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90thrown-away" # this system need not outlive a loss of power
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # packages must not start their daemons in here
  chmod +x "$root/usr/sbin/policy-rc.d"
}

mount_kernel_trees() {
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  if [[ -n $cache ]]; then
    mkdir -p "$cache" "$root/ccache"
    mount --bind "$cache" "$root/ccache"
  fi
}

inside() {
  local environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  if [[ -n $cache ]]; then
    environment+=(CCACHE_DIR=/ccache CCACHE_BASEDIR=/plumbline CCACHE_NOHASHDIR=1 CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  chroot "$root" /usr/bin/env -i "${environment[@]}" "$@"
}

# The committed tree, and the list of packages as it stands, committed or not. Builds of an earlier call stay; to them all files are new.
copy_tree() {
  mkdir -p "$root/plumbline"
  find "$root/plumbline" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} +
  git -C "$source_tree" archive HEAD | tar -x -m -C "$root/plumbline"
  cp "$source_tree/jobs/install.sh" "$root/plumbline/jobs/install.sh"
}
