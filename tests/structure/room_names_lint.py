"""The files of a room are compiled together (plumbline_compile_by_room in harness/cmake/PlumblineTargets.cmake; for GPUs plumbline_cuda_units, so many
at a time), and their unnamed namespaces are one then. This lint finds names that two files of a folder and target both define there, in whichever units
those for GPUs lie today. Run as `room_names_lint.py SOURCE_DIRECTORY`; prints what breaks it, exit 1.

Read are definitions at the outermost level, as clang-format writes them: from the first column. Functions may share a name where the types
of their parameters differ, and aliases where they mean the same.
"""

import collections
import re

import lint
from one_definition_lint import CLOSED, DEFINED, INSTEAD_OF, OPENED

FOLDERS = ("harness", "ert", "validation", "proxies", "tests")

ALIAS = re.compile(r"using (?P<name>\w+) = (?P<rest>[^;]*)")
CONSTANT = re.compile(r"(?:inline )?const(?P<expr>expr)? [\w:<>,&* ]*?[ &*](?P<name>\w+)(?:\[\w*\])*(?: =|\{|(?(expr)\(|=))")
FUNCTION = re.compile(r"(?:\[\[\w+\]\] )?(?!return |using |template |struct |class |enum )[\w:][\w:<>,&* ]*[ &*](?P<name>\w+)\((?P<rest>.*)")


def parameter_types(text):
    """The types of a parameter list, which ends with its closing parenthesis: its names and presets are left out."""
    types, depth, word = [], 0, ""
    for letter in text:
        if depth == 0 and letter in ",)":
            types.append(re.sub(r"[ &*]\w+$", lambda found: found.group()[0], word.split(" = ")[0].strip()).strip())
            word = ""
            if letter == ")":
                return ", ".join(types)
            continue
        depth += (letter in "(<{") - (letter in ")>}")
        word += letter
    return ", ".join(types)


def unnamed(text):
    """The names that are defined in unnamed namespaces: each with its kind, what tells it from others of that kind, and its line."""
    spaces, lines = [], re.sub(r"__launch_bounds__\([^()]*\) ", "", text).splitlines()
    for number, line in enumerate(lines, 1):
        if found := OPENED.match(line):
            spaces.append(found.group("name"))
        elif CLOSED.match(line):
            del spaces[-1:]
        elif None not in spaces:
            continue
        elif found := ALIAS.match(line):
            yield found.group("name"), "alias", found.group("rest"), number
        elif found := DEFINED.match(line) or CONSTANT.match(line):
            yield found.group("name"), "other", "", number
        elif found := FUNCTION.match(line):
            rest = " ".join([found.group("rest"), *(one.strip() for one in lines[number : number + 8])])
            yield found.group("name"), "function", parameter_types(rest), number


def clash(one, other):
    """Whether two definitions of a name, each (file, kind, what tells it from others, line), cannot stand in one unnamed namespace."""
    (file, kind, tells, _), (other_file, other_kind, other_tells, _) = one, other
    if file == other_file:
        return False
    if kind == other_kind == "function":
        return tells == other_tells
    return not (kind == other_kind == "alias" and tells == other_tells)


def listed(listing):
    """The .cpp files of each target that is compiled by room: lists of paths, those of a variable in all its forms."""
    text = re.sub(r"#.*", "", listing.read_text())
    variables = collections.defaultdict(str)
    for name, values in re.findall(r"\bset\((\w+)\s([^()]*)\)", text):
        variables[name] += f" {values}"
    by_room = set(re.findall(r"\bplumbline_compile_by_room\((\w+)\)", text))
    for command, target, rest in re.findall(r"\b(plumbline_module|plumbline_test|add_library|add_executable)\((\S+)\s([^()]*)\)", text):
        if command.startswith("plumbline_") or target in by_room:
            words = re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found.group(1), found.group()), rest).split()
            yield [listing.parent / word for word in words if word.endswith(".cpp") and "$" not in word]


def listed_for_gpus(listing):
    """The .cu files of a folder, but for those that each architecture compiles by itself, alone."""
    text = re.sub(r"#.*", "", listing.read_text())
    for words in re.findall(r"\bplumbline_cuda_sources\(([^()]*)\)", text):
        together = re.sub(r"\b(EACH_ARCHITECTURE|ELSE)\b[^A-Z]*", "", words)
        yield [listing.parent / word for word in together.split() if word.endswith(".cu")]


def rooms(root):
    """The files that are compiled together, or may be once a file is added: those of a target that lie in one folder."""
    for folder in FOLDERS:
        for listing in sorted((root / folder).rglob("CMakeLists.txt")):
            for paths in [*listed(listing), *listed_for_gpus(listing)]:
                together = collections.defaultdict(list)
                for path in paths:
                    if path.relative_to(root).as_posix() not in INSTEAD_OF and not path.name.endswith("_absent.cpp"):
                        together[path.parent].append(path)
                yield from together.values()


def complaints(root):
    for room in rooms(root):
        definitions = collections.defaultdict(list)
        for path in room:
            name = path.relative_to(root).as_posix()
            for defined, kind, tells, number in unnamed(path.read_text()):
                definitions[defined].append((name, kind, tells, number))
        for defined, all_of_it in sorted(definitions.items()):
            clashing = [one for one in all_of_it if any(clash(one, other) for other in all_of_it)]
            if clashing:
                places = ", ".join(f"{file}:{number}" for file, _, _, number in clashing)
                yield f"{defined} is defined more than once in what is compiled together: {places}"


if __name__ == "__main__":
    lint.run(complaints, "names differ where files are compiled together")
