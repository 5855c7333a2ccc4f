"""The two licenses kept apart: run as `license_lint.py SOURCE_DIRECTORY [PROGRAM...]`; prints what breaks a rule, exit 1.

harness/emulator is GPL-2.0-or-later, because it links Valgrind's core, except for what others include or read (ITS_BSD_FILES). No file of
another license includes its headers, no target links it, and no PROGRAM holds a symbol of Valgrind's core.
"""

import pathlib
import re
import subprocess

import lint

GPL_FOLDER = pathlib.Path("harness/emulator")
GPL, BSD = "GPL-2.0-or-later", "BSD-3-Clause"
ITS_BSD_FILES = {"client_requests.h", "CMakeLists.txt", "find_valgrind.cmake", "link_valgrind_files.cmake", "warn_of_avx512.cmake"}
WITHOUT_A_LINE = {"README.md", "LICENSE"}
# What users compile into programs of their own says in each file that they may.
MARKED_FOLDERS = {GPL_FOLDER: GPL, pathlib.Path("harness/marker"): BSD}

SOURCES = {".c", ".h", ".cpp", ".hpp", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
LICENSE = re.compile(r"SPDX-License-Identifier: (\S+)")
# The tool itself does, and the tests' build of the same objects without a mending of VEX.
LINKS_THE_TOOL = re.compile(r"target_link_libraries\s*\(\s*(?!(?:plumbline|unmended)_emulator\b)\w+[^)]*\b(plumbline_emulator|\w*coregrind\w*)\b", re.IGNORECASE)
VALGRINDS_OWN = re.compile(r" (vgPlain_|vgPlugin_|vgModuleLocal_|LibVEX_)\w+")


def license_of(path):
    found = LICENSE.search("\n".join(path.read_text(errors="replace").splitlines()[:5]))
    return found.group(1) if found else None


def files(root, folder):
    return sorted(path for path in (root / folder).rglob("*") if path.is_file())


def folder_complaints(root, folder, wanted):
    for path in files(root, folder):
        if path.name in WITHOUT_A_LINE:
            continue
        expected = BSD if folder == GPL_FOLDER and path.name in ITS_BSD_FILES else wanted
        found = license_of(path)
        if found != expected and not (folder != GPL_FOLDER and path.name == "CMakeLists.txt" and found is None):
            yield f"{path.relative_to(root)}: wanted the line 'SPDX-License-Identifier: {expected}', found {found or 'none'}"


def include_complaints(root):
    headers = {path.name for path in files(root, GPL_FOLDER) if path.suffix == ".h"} - ITS_BSD_FILES
    for folder in ("harness", "validation", "proxies", "ert", "tests"):
        for path in files(root, folder):
            if path.suffix not in SOURCES or license_of(path) == GPL:
                continue
            for header in INCLUDE.findall(path.read_text(errors="replace")):
                beside = (path.parent / header).is_file()
                if header.startswith("pub_tool_") or header.split("/")[-1] in headers and ("emulator/" in header or not beside):
                    yield f"{path.relative_to(root)}: includes {header}, which is {GPL}, and is not itself"


def link_complaints(root):
    for path in [root / "CMakeLists.txt", *(p for folder in ("harness", "validation", "proxies", "ert", "tests") for p in files(root, folder))]:
        if path.name == "CMakeLists.txt":
            for found in LINKS_THE_TOOL.finditer(path.read_text()):
                yield f"{path.relative_to(root)}: {found.group(0).split('(')[1].split()[0]} links {found.group(1)}, which is {GPL}"


def program_complaints(program):
    names = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    found = VALGRINDS_OWN.search(names)
    if found:
        yield f"{program}: holds{found.group(0)}, of Valgrind's core"


def complaints(root, *programs):
    if "GNU GENERAL PUBLIC LICENSE" not in (root / GPL_FOLDER / "LICENSE").read_text():
        yield f"{GPL_FOLDER}/LICENSE: is not the text of the GNU General Public License"
    for folder, wanted in MARKED_FOLDERS.items():
        yield from folder_complaints(root, folder, wanted)
    yield from include_complaints(root)
    yield from link_complaints(root)
    for program in programs:
        yield from program_complaints(program)


if __name__ == "__main__":
    lint.run(complaints, "the licenses are kept apart")
