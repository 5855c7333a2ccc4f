"""One name, one type: two types of the same name in the same namespace are one to the linker, which merges their members and every template of
them (the one-definition rule), and no compiler says so. Run as `one_definition_lint.py SOURCE_DIRECTORY`; prints what breaks it, exit 1.

Read are types at the outermost level of a namespace, as clang-format writes them: from the first column. Those of an unnamed namespace are
their file's. A test's types may not bear a name of the program's, but two tests are two programs.
"""

import collections
import pathlib
import re

import lint

PROGRAM = ("harness", "validation", "proxies", "ert")
OPENED = re.compile(r"namespace(?: (?P<name>[\w:]+))? \{$")
CLOSED = re.compile(r"\}  // namespace")
DEFINED = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum class|enum) (?P<name>[\w:]+)(?: final)?(?: : .*)? ?\{")

# Files of which the build takes one.
INSTEAD_OF = {
    "harness/counters/cupti/cupti_host_absent.cpp": "cupti_host.cpp",
    "harness/comm/communicator_self.cpp": "communicator_mpi.cpp",
    "harness/comm/communicator_loaded.cpp": "communicator_mpi.cpp",
    "harness/cuda/cublas_absent.cu": "cublas.cu",
}


def types(text):
    """The names of the types that other files may see, with their namespaces, and their lines."""
    spaces = []
    for number, line in enumerate(text.splitlines(), 1):
        if found := OPENED.match(line):
            spaces.append(found.group("name"))
        elif CLOSED.match(line):
            if spaces:
                spaces.pop()
        elif (found := DEFINED.match(line)) and None not in spaces:
            yield "::".join([*spaces, found.group("name")]), number


def complaints(root):
    places = collections.defaultdict(dict)
    for folder in (*PROGRAM, "tests"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in {".hpp", ".cpp", ".h", ".cu", ".cuh"} and name not in INSTEAD_OF:
                for defined, number in types(path.read_text()):
                    places[defined].setdefault(name, number)
    for defined, files in sorted(places.items()):
        own = [name for name in files if not name.startswith("tests/")]
        if len(own) > 1 or (own and len(files) > 1):
            yield f"{defined} is defined more than once: " + ", ".join(f"{name}:{number}" for name, number in files.items())


if __name__ == "__main__":
    lint.run(complaints, "every type is defined once")
