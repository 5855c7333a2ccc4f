#!/usr/bin/env bash
# A bare Debian in a folder, for the scripts beside this one, which source it. They set `root` (the folder), `suite`, `source_tree`, and
# `cache` (a folder for ccache that is seen inside as /ccache; empty: none).
# shellcheck disable=SC2154 # those variables

say() { printf '%s: %s (%d s)\n' "$(basename "$0" .sh)" "$*" "$SECONDS"; }

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
    debootstrap --variant=minbase "$suite" "$root" "${PLUMBLINE_DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$root.log" 2>&1 ||
      { tail -n 5 "$root.log" && exit 1; }
    say "bootstrapped a bare $suite into $root"
  fi
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  if grep -qs "$suite" /etc/apt/sources.list.d/debian.sources; then
    cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/" && rm -f "$root/etc/apt/sources.list"
  fi
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
  local settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  if [[ -n $cache ]]; then
    settings+=(CCACHE_DIR=/ccache CCACHE_BASEDIR=/plumbline CCACHE_NOHASHDIR=1 CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  chroot "$root" /usr/bin/env -i "${settings[@]}" "$@"
}

# The committed tree, and the list of packages as it stands, committed or not. Builds of an earlier call stay; to them all files are new.
copy_tree() {
  mkdir -p "$root/plumbline"
  find "$root/plumbline" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} +
  git -C "$source_tree" archive HEAD | tar -x -m -C "$root/plumbline"
  cp "$source_tree/jobs/install.sh" "$root/plumbline/jobs/install.sh"
}
