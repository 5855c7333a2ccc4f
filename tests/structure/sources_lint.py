"""Every source is built, and every test in Python run: `sources_lint.py SOURCE_DIRECTORY` prints each file that no CMake list names, and the
line to add; exit 1.

A source stands by its name in a CMakeLists.txt of its folder or of one above it, with or without a path, or is the NAME.cpp of a
plumbline_add_kernel(SUITE NAME ...). A header is included by some file, or is the NAME.hpp or NAME_loop.hpp of such a kernel. A test or lint
in Python stands by its name in such a list, a test NAME_test.py also by NAME.
"""

import re

import lint

FOLDERS = ("harness", "ert", "validation", "proxies")
SOURCES = {".cpp", ".c", ".cu"}
HEADERS = {".hpp", ".h", ".cuh"}
TEST = re.compile(r"test_.*|.*_(test|lint)")
KERNEL = re.compile(r"^\s*plumbline_add_kernel\(\s*(\w+)\s+(\w+)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def without_comments(text):
    return re.sub(r"#.*", "", text)


def lists_above(path, root):
    """The CMakeLists.txt of the file's folder and of those above it, nearest first."""
    for folder in path.parents:
        if (folder / "CMakeLists.txt").exists():
            yield folder / "CMakeLists.txt"
        if folder == root:
            return


def is_listed(path, lists, texts):
    for cmake in lists:
        name = re.escape(path.relative_to(cmake.parent).as_posix())
        if re.search(rf"(?<![\w./-]){name}(?![\w./-])", texts(cmake)):
            return True
        if cmake.parent == path.parent and path.suffix == ".cpp" and path.stem in {name for _, name in KERNEL.findall(texts(cmake))}:
            return True
    return False


def is_run(path, lists, texts):
    part = re.compile(rf"(?<![\w./-]){re.escape(path.stem.removesuffix('_test'))}(?![\w./-])")
    return any(path.name in texts(cmake) or part.search(texts(cmake)) for cmake in lists)


def line_to_add(path, cmake):
    """The line for a source: a kernel's where the folder holds kernels."""
    suite, name, listed = path.parent.name, path.stem, path.relative_to(cmake.parent)
    if path.suffix == ".cu":
        return f"'{listed}' in the list of plumbline_cuda_sources()"
    if suite in FOLDERS[1:] and any((path.parent / f"{name}{end}").exists() for end in ("_loop.hpp", ".hpp")):
        return f"plumbline_add_kernel({suite} {name} {name.title().replace('_', '')}), the last word being the loop's arguments"
    return f"'{listed}' in the list of its target's sources"


def complaints(root):
    read = {}

    def texts(cmake):
        if cmake not in read:
            read[cmake] = without_comments(cmake.read_text())
        return read[cmake]

    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES | HEADERS]
    included = {header for path in files for header in INCLUDE.findall(path.read_text())}
    for tests in sorted((root / "tests").rglob("*")):
        if tests.suffix in SOURCES | HEADERS:
            included.update(INCLUDE.findall(tests.read_text()))
    by_name = {header.rsplit("/", 1)[-1] for header in included}
    for path in files:
        lists = list(lists_above(path, root))
        if path.suffix in SOURCES and not is_listed(path, lists, texts):
            yield f"{path.relative_to(root)}: nothing builds it: add to {lists[0].relative_to(root)}: {line_to_add(path, lists[0])}"
        elif path.suffix in HEADERS and path.name not in by_name and not is_listed(path, lists, texts):
            yield f"{path.relative_to(root)}: no file includes it"
    for path in sorted((root / "tests").rglob("*.py")):
        lists = list(lists_above(path, root))
        if TEST.fullmatch(path.stem) and not is_run(path, lists, texts):
            yield f"{path.relative_to(root)}: nothing runs it: add it to {lists[0].relative_to(root)}"


if __name__ == "__main__":
    lint.run(complaints, "every source is built, every header included, every test in Python run")
