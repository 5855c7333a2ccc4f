#!/usr/bin/env python3
"""build_with.py [--syntax] [--json FILE --suite NAME] COMPILER...: whether the program is compiled by g++-14, clang++-19, ..., without errors and warnings.

Without --syntax the program is built, its kernels by this compiler alone. With it every file of the program is only parsed and checked
(-fsyntax-only on what compile_commands.json lists), the kernels' flavors and the linking left out: a quarter of the time. One line a compiler;
exit code 1 where one has errors, 2 for wrong use. Builds lie in build-COMPILER of this checkout and are taken up again.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import time

import kept_compilers

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = {"fmt": "libfmt-dev", "hdf5": "libhdf5-dev", "valgrind": "valgrind", "mpich": "libmpich-dev", "hwloc": "libhwloc-dev",
             "tomlplusplus": "libtomlplusplus-dev", "cli11": "libcli11-dev", "nlohmann_json": "nlohmann-json3-dev"}


def c_compiler_of(compiler):
    """The C compiler of "g++-14" is gcc-14, that of "clang++-19" clang-19."""
    return compiler.replace("clang++", "clang").replace("g++", "gcc")


def configure(compiler):
    build = SOURCE / f"build-{compiler}"
    done = subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPLUMBLINE_TESTS=OFF",
                           "-DPLUMBLINE_FILE_BY_FILE=ON", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_C_COMPILER={c_compiler_of(compiler)}",
                           f"-DPLUMBLINE_FLAVOR_COMPILERS={compiler}"],
                          capture_output=True, text=True)
    return build, done.returncode, done.stdout + done.stderr


def only_parsed(entry):
    """The messages of the compiler, and whether there are no errors."""
    words, kept = shlex.split(entry["command"]), []
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    for word in words:
        if kept and kept[-1] == "-o":
            kept.pop()
        elif word != "-c":
            kept.append(word)
    done = subprocess.run([*kept, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], done.returncode, done.stderr


def parse_all(build):
    entries = json.loads((build / "compile_commands.json").read_text())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(only_parsed, entries))
    return len(entries), int(any(code for _, code, _ in results)), "".join(text for _, _, text in results)


def build_all(build):
    done = subprocess.run(["cmake", "--build", build, "--", "-k", "0"], capture_output=True, text=True)
    return len(json.loads((build / "compile_commands.json").read_text())), done.returncode, done.stdout + done.stderr


def messages(text, kind):
    """One for each place, without the lines of a text that goes on; types of templates are cut off."""
    first = {}
    for place, words in re.findall(rf"^(\S+): (?:fatal )?{kind}: (\S.*)$", text, re.MULTILINE):
        first.setdefault(place, words)
    return [f"{place}: {kind}: {textwrap.shorten(words, 160)}" for place, words in sorted(first.items())]


def versions_of_libraries():
    found = {}
    for name, package in LIBRARIES.items():
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout:
            found[name] = re.sub(r"^\d+:|^.*really\.?|[-+~].*$", "", done.stdout)
    return found


def tried(compiler, syntax):
    start = time.monotonic()
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    build, code, text = configure(compiler)
    files = 0
    if code == 0:
        files, code, text = parse_all(build) if syntax else build_all(build)
    if code:
        print(text[-4000:], file=sys.stderr)
    emulator = "PLUMBLINE_EMULATOR_FOUND:INTERNAL=ON" in (build / "CMakeCache.txt").read_text()
    return {"compiler": compiler, "version": version, "date": time.strftime("%F"), "form": "syntax" if syntax else "program", "files": files, "ok": code == 0, "emulator": emulator,
            "errors": messages(text, "error"), "warnings": messages(text, "warning"), "seconds": round(time.monotonic() - start)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syntax", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="a file of earlier rows, or none yet: a row here replaces the same one there")
    parser.add_argument("--suite", default="", choices=["", *kept_compilers.SUITES], help="which Debian this is; with --json")
    parser.add_argument("compilers", nargs="+", metavar="COMPILER")
    asked = parser.parse_args()
    missing = [name for compiler in asked.compilers for name in (compiler, c_compiler_of(compiler)) if shutil.which(name) is None]
    if missing:
        parser.error(f"not here: {' '.join(missing)}")
    if asked.json and not asked.suite:
        parser.error("--json takes --suite, too")
    rows = []
    for compiler in asked.compilers:
        rows.append(tried(compiler, asked.syntax))
        row = rows[-1]
        print(f"{row['compiler']:<12} {row['form']:<8} {row['files']:4} files  {'ok' if row['ok'] else 'FAILED':<6} {len(row['errors'])} errors  "
              f"{len(row['warnings'])} warnings  emulator {'on' if row['emulator'] else 'off'}  {row['seconds']} s  ({row['version']})", flush=True)
        for message in row["errors"] + row["warnings"]:
            print("  " + message)
        if asked.json:  # after each: what was seen stays
            kept = json.loads(asked.json.read_text()) if asked.json.exists() else {}
            kept_compilers.write(asked.json, kept_compilers.kept_with(kept, asked.suite, versions_of_libraries(), row))
    return int(any(not row["ok"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
