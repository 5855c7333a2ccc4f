"""Who may know whom, held against every #include: run as `include_lint.py SOURCE_DIRECTORY`; prints what breaks a rule, exit 1.

Modules are the folders of harness/, and the kernel folders. A third-party header belongs to one folder.
"""

import pathlib
import re

import lint

# A module may include these (and itself).
MAY_KNOW = {
    "core": set(),
    "counters": {"core", "emulator"},  # the emulator's client_requests.h only
    "gpu": {"core", "counters"},
    "cuda": {"core", "gpu"},  # and kernels for GPUs (.cu) know it
    "machine": {"core"},
    "model": {"core"},
    "measure": {"core", "counters", "gpu", "machine"},
    "campaign": {"core", "machine"},
    "schedule": {"core", "machine"},
    "comm": {"core"},
    "store": {"core"},
    "emulator": set(),
    "twins": set(),
    "injection": {"core", "counters"},
    "marker": set(),
    "profile": {"core", "machine", "comm"},
    "imports": {"core"},
    "validation": {"core", "cuda"},
    "proxies": {"core", "cuda"},
    "ert": {"core", "cuda", "gpu"},
}
SEES_ALL = {"app"}

# The folders in which a third-party header may appear.
HOME_OF = {
    r"mpi\.h": {"comm"},
    r"(hdf5|H5\w+)\.h": {"store"},
    r"papi\.h|sde_lib\.h": {"counters"},
    r"cuda.*\.h|cublas.*\.h|mma\.h": {"counters", "cuda", "validation", "proxies", "ert"},  # kernels: in .cu files
    r"cupti.*\.h": {"counters"},
    r"hwloc.*": {"machine"},
    r"valgrind/.*|pub_tool_.*|libvex.*": {"emulator"},
    r"omp\.h": {"measure"},
    r"benchmark/benchmark\.h": {"app"},
    r"CLI/.*": {"app"},
}

# And those that only files of these names may include.
FILES_OF = {
    r"cupti.*\.h": re.compile(r"harness/counters/cupti(\w*\.cpp|_library\.hpp)"),
    r"cuda.*\.h|cublas.*\.h|mma\.h": re.compile(r"harness/counters/cupti\w*\.cpp|.*\.cuh?"),
}

# Printing and exiting are the program's; kernels know no standard streams at all.
ONLY_APP = re.compile(r"\bstd::(cout|cerr|exit|quick_exit)\b|\bfmt::print\b|(?<![\w.:>])(printf|puts|exit)\s*\(")
MAY_PRINT = {"app", "emulator", "comm"}  # comm: the last words of a rank that aborts alone

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def module_of(path):
    parts = path.parts
    return parts[1] if parts[0] == "harness" else parts[0]


def sources(root):
    for folder in ("harness", "validation", "proxies", "ert"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"}:
                yield path.relative_to(root)


def complaints(root):
    modules = set(MAY_KNOW) | SEES_ALL
    for path in sources(root):
        module = module_of(path)
        if module not in modules:
            yield f"{path}: folder '{module}' has no rule in {pathlib.Path(__file__).name}"
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            place = f"{path}:{number}"
            found = INCLUDE.match(line)
            if found:
                header = found.group(1)
                first = header.removeprefix("harness/").split("/")[0]
                if "/" in header and first in modules and first != module and module not in SEES_ALL and first not in MAY_KNOW[module]:
                    yield f"{place}: {module} must not know {first} (it includes {header})"
                for pattern, homes in HOME_OF.items():
                    if re.fullmatch(pattern, header) and module not in homes:
                        yield f"{place}: {header} belongs to {', '.join(sorted(homes))}, not to {module}"
                for pattern, files in FILES_OF.items():
                    if re.fullmatch(pattern, header) and module in HOME_OF[pattern] and not files.fullmatch(path.as_posix()):
                        yield f"{place}: {header} belongs to {files.pattern}"
            elif module not in MAY_PRINT and ONLY_APP.search(line.split("//")[0]):
                yield f"{place}: only app prints or exits: {line.strip()}"


if __name__ == "__main__":
    lint.run(complaints, "every include keeps the rules")
