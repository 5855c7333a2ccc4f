#!/usr/bin/env bash
# Gathers all pages of this repository into a site with search, build-docs/site/index.html (it can be read from disk, without a server).
#
#   bash jobs/docs.sh [OUT]      OUT: the folder to write to (build-docs)
#
# A link that leads nowhere, an anchor that no heading has, and a page that jobs/docs/pages.toml does not name end it with 1, a line each.
# Needs mkdocs with its Material theme (Debian: mkdocs-material; 2 without it), and for the pages of installed headers doxygen (left out without it).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$here/build-docs}
readonly here out python=${PLUMBLINE_PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import mkdocs, material' 2>/dev/null; then
  echo "docs: $python has no mkdocs with its Material theme: apt-get install mkdocs-material" >&2
  exit 2
fi
rm -rf "$out/docs" "$out/site"
mkdir -p "$out/docs"

headers=()
if command -v doxygen >/dev/null; then
  # The folders that "cmake --install" takes headers from.
  folders=$(sed -n 's/^set(header_folders \(.*\))$/\1/p' "$here/harness/cmake/PlumblineInstall.cmake")
  read -r -a installed <<<"${folders// / $here/harness/} $here/harness/marker $here/harness/machine/cpu.hpp"
  installed[0]=$here/harness/${installed[0]}
  { cat "$here/jobs/docs/Doxyfile" && printf 'INPUT = %s\nOUTPUT_DIRECTORY = %s\n' "${installed[*]}" "$out/docs"; } | doxygen -
  headers=(--headers)
else
  echo "docs: without doxygen the pages of installed headers are left out" >&2
fi
"$python" "$here/jobs/docs/gather.py" "$here" "$out" "${headers[@]}"
(cd "$out" && "$python" -m mkdocs --quiet build --strict)
echo "docs: $out/site/index.html"
