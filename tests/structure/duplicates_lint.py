"""No block stands twice: run as `duplicates_lint.py SOURCE_DIRECTORY`; prints blocks of more than 8 lines that two places share; exit 1.

Lines are compared without their indentation. Empty lines, comments, includes and imports, and lines of nothing but closing signs are not
counted. Places that may be alike stand in duplicates.toml beside this file, a reason each; an entry that nothing needs any more is told.
"""

import pathlib
import re
import tomllib

import lint

LONGEST = 8  # lines that may stand twice
FOLDERS = ("harness", "ert", "validation", "proxies", "jobs", "analysis", "tests", ".ci")
ENDINGS = {".cpp", ".hpp", ".c", ".h", ".cu", ".cuh", ".py", ".sh"}
TABLE = pathlib.Path(__file__).with_name("duplicates.toml")
UNCOUNTED = re.compile(r"//.*|#.*|import .*|from .* import .*|/?\*.*|[\s\])};,]*(// namespace.*)?|(inline )?namespace .*|(public|private|protected):|using .*")


def counted_lines(path):
    """Yields (number, line) of every line that counts."""
    return [(number, line.strip()) for number, line in enumerate(path.read_text().splitlines(), 1) if not UNCOUNTED.fullmatch(line.strip())]


def shared_blocks(files):
    """Yields (file, first line, file, first line, lines) of each longest run of counted lines that stands at two places; `files`: name to lines."""
    size = LONGEST + 1
    places = {}
    for name, lines in files.items():
        for at in range(len(lines) - size + 1):
            places.setdefault(tuple(line for _, line in lines[at : at + size]), []).append((name, at))
    for block in places.values():
        for one, other in zip(block, block[1:]):
            if other[0] == one[0] and other[1] < one[1] + size:
                continue  # it overlaps itself
            before = [files[name][at - 1][1] if at else None for name, at in (one, other)]
            if before[0] is not None and before[0] == before[1]:
                continue  # a longer run begins earlier
            length = size
            while all(at + length < len(files[name]) for name, at in (one, other)) and len(
                {files[name][at + length][1] for name, at in (one, other)}
            ) == 1:
                length += 1
            yield one[0], files[one[0]][one[1]][0], other[0], files[other[0]][other[1]][0], length


def complaints(root, table=TABLE):
    stated = tomllib.loads(pathlib.Path(table).read_text()).get("pair", [])
    files = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in ENDINGS and path.is_file():
                files[path.relative_to(root).as_posix()] = counted_lines(path)
    needed = set()
    for one, first, other, second, length in shared_blocks(files):
        allowed = [i for i, pair in enumerate(stated) if {one, other} == set(pair["files"])]
        needed.update(allowed)
        if not allowed:
            yield f"{other}:{second}: {length} lines stand at {one}:{first} too"
    for i, pair in enumerate(stated):
        if i not in needed:
            yield f"{TABLE.name}: {' and '.join(pair['files'])} share no block any more: leave the entry out"


if __name__ == "__main__":
    lint.run(complaints, f"no block of more than {LONGEST} lines stands twice, but for those stated")
