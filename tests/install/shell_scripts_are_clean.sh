#!/usr/bin/env bash
# shell_scripts_are_clean.sh SOURCE_DIR: shellcheck finds nothing in any script of ours.
set -euo pipefail

cd "$1"
command -v shellcheck >/dev/null || { echo "SKIP: shellcheck is not installed" && exit 77; }

# By name or by first line; build folders and hidden ones are not ours.
mapfile -t scripts < <({
  find . \( -name '.?*' ! -name .ci -o -name 'build*' -o -name plumbline-out \) -prune -o -type f \( -name '*.sh' -o -name '*.sbatch' \) -print
  find jobs tests analysis .ci -type f ! -name '*.*' -exec grep -lE '^#!.*\<(ba)?sh$' {} + || true
} | sort -u)
((${#scripts[@]} >= 10)) || { echo "FAILED: found only ${#scripts[@]} scripts: ${scripts[*]}" && exit 1; }
shellcheck -x "${scripts[@]}"
echo "${#scripts[@]} scripts are clean"
