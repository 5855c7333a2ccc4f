#!/usr/bin/env bash
# needs.sh FOLDER GLIBC: what the programs and shared libraries under FOLDER want of a machine, a line each. Fails where one wants more than the
# C library, or of that a symbol that came after version GLIBC (2.28), or looks for libraries in folders of the
# machine that made it.
#
# Exit codes: 0 they want no more · 1 one does, with its name and what it wants · 2 wrong use.
set -euo pipefail

(($# == 2)) || { echo "needs: give a folder and a version of glibc" >&2 && exit 2; }
readonly folder=$1 oldest=GLIBC_$2
# ld-linux is the loader itself; before 2.34 the C library was in parts.
readonly c_library='^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so\.[0-9]$'

is_elf() { [[ $(head -c 4 "$1" | tr -d '\0') == $'\x7fELF' ]]; }

newest_of() { sort -uV | tail -n 1; }

check() {
  local file=$1 newest library
  newest=$(objdump -T "$file" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | newest_of) || true
  if [[ $(printf '%s\n' "$oldest" "$newest" | newest_of) != "$oldest" ]]; then
    printf 'needs: %s wants %s of the C library, and %s is the oldest that it is for:\n' "$file" "$newest" "$oldest" >&2
    objdump -T "$file" | grep -F "$newest" >&2
    exit 1
  fi
  while read -r library; do
    [[ $library =~ $c_library ]] || { echo "needs: $file wants $library of the machine" >&2 && exit 1; }
  done < <(objdump -p "$file" 2>/dev/null | sed -n 's/^ *NEEDED *//p')
  if objdump -p "$file" 2>/dev/null | grep -E '^ *(RPATH|RUNPATH) '; then
    echo "needs: $file looks for libraries in the folders above, which other machines do not have" >&2 && exit 1
  fi
  printf '%-12s %s\n' "${newest:-nothing}" "${file#"$folder"/}"
}

count=0
while read -r -d '' file; do
  if is_elf "$file"; then check "$file" && ((++count)); fi
done < <(find "$folder" -type f -print0 | sort -z)
((count > 0)) || { echo "needs: no program under $folder" >&2 && exit 1; }
