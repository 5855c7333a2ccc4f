"""The table of who may know whom is held against every #include: run as `include_lint.py SOURCE_DIRECTORY`; prints what breaks a rule, exit 1.

The allowed arrows between modules (folders of harness/, and the folders of kernels) and between the rooms of a module stand in harness/rooms.toml.
No circle of includes joins two units; a unit is a header and the source of its name. A third-party header belongs to one folder.
"""

import pathlib
import re
import tomllib

import lint

TABLE = "harness/rooms.toml"
MOST_FILES = 60  # of a folder: more are no room but a hall

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
    r"elfutils/.*|gelf\.h": {"profile"},
    r"benchmark/benchmark\.h": {"app"},
    r"CLI/.*": {"app"},
}

# And those that only files of these names may include.
FILES_OF = {
    r"cupti.*\.h": re.compile(r"harness/counters/cupti/cupti(\w*\.cpp|_library\.hpp)"),
    r"cuda.*\.h|cublas.*\.h|mma\.h": re.compile(r"harness/counters/cupti/cupti\w*\.cpp|.*\.cuh?"),
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


def room_of(path, module):
    """The folder within its module, "." for the module's own."""
    inside = path.parts[path.parts.index(module) + 1 : -1]
    return inside[0] if inside else "."


def may_know(header, path, module, table):
    """The reason why `path` must not include `header`, a path within harness/ or of a kernel's folder; None where it may."""
    allowed, rooms = table["modules"][module], table["rooms"].get(module)
    first = header.parts[0]
    if first not in table["modules"]:
        return None
    if first != module:
        return None if first in allowed or "*" in allowed else f"{module} must not know {first}"
    if rooms:
        here, there = room_of(path, module), room_of(header, module)
        if rooms.index(there) > rooms.index(here):
            return f"{module}/{here} must not know {module}/{there}, which comes after it"
    return None


def unit_of(path):
    """The part of a path that a header and its source have in common."""
    return path.with_suffix("").as_posix().removeprefix("harness/")


def included_units(path, text):
    for line in text.splitlines():
        if (found := INCLUDE.match(line)) and '"' in line:
            header = pathlib.PurePosixPath(found.group(1))
            yield unit_of(header if len(header.parts) > 1 else path.parent / header)


def circles(arrows):
    """Sets of units that include each other (strongly connected components of more than one; Tarjan 1972)."""
    index, lowest, stack, found = {}, {}, [], []

    def visit(unit):
        index[unit] = lowest[unit] = len(index)
        stack.append(unit)
        for other in sorted(arrows.get(unit, ())):
            if other not in index:
                visit(other)
                lowest[unit] = min(lowest[unit], lowest[other])
            elif other in stack:
                lowest[unit] = min(lowest[unit], index[other])
        if lowest[unit] == index[unit]:
            members = stack[stack.index(unit) :]
            del stack[stack.index(unit) :]
            if len(members) > 1:
                found.append(sorted(members))

    for unit in sorted(arrows):
        if unit not in index:
            visit(unit)
    return found


def unruly_lines(path, module, text, table):
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{path}:{number}"
        found = INCLUDE.match(line)
        if found:
            header = found.group(1)
            inner = pathlib.PurePosixPath(header.removeprefix("harness/"))
            if len(inner.parts) > 1 and (why := may_know(inner, path, module, table)):
                yield f"{place}: {why} (it includes {header})"
            for pattern, homes in HOME_OF.items():
                if re.fullmatch(pattern, header) and module not in homes:
                    yield f"{place}: {header} belongs to {', '.join(sorted(homes))}, not to {module}"
            for pattern, files in FILES_OF.items():
                if re.fullmatch(pattern, header) and module in HOME_OF[pattern] and not files.fullmatch(path.as_posix()):
                    yield f"{place}: {header} belongs to {files.pattern}"
        elif module not in MAY_PRINT and ONLY_APP.search(line.split("//")[0]):
            yield f"{place}: only app prints or exits: {line.strip()}"


def complaints(root):
    table = tomllib.loads((root / TABLE).read_text())
    arrows, files = {}, {}
    for path in sources(root):
        module = module_of(path)
        files.setdefault(path.parent, []).append(path)
        if module not in table["modules"]:
            yield f"{path}: folder '{module}' has no rule in {TABLE}"
            continue
        if (rooms := table["rooms"].get(module)) and room_of(path, module) not in rooms:
            yield f"{path}: room '{room_of(path, module)}' of {module} has no rule in {TABLE}"
            continue
        text = (root / path).read_text()
        yield from unruly_lines(path, module, text, table)
        arrows.setdefault(unit_of(path), set()).update(unit for unit in included_units(path, text) if unit != unit_of(path))
    for folder, inside in files.items():
        if len(inside) > MOST_FILES:
            yield f"{folder}: {len(inside)} files; at most {MOST_FILES} can be looked over: give it rooms"
    for members in circles(arrows):
        yield "these include each other in a circle: " + ", ".join(members)


if __name__ == "__main__":
    lint.run(complaints, "every include keeps the rules")
