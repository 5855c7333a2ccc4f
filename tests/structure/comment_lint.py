"""The first sentence of a comment has a subject and a verb, or names a thing, and makes sense without the code below it. Run as
`comment_lint.py SOURCE_DIRECTORY`; prints what breaks it, exit 1.

No program reads sentences, but fragments open alike: with a pronoun or a preposition that leans on the code ("Of a working set at most.",
"Those of one domain."), with a word alone ("Collective."), or with an example in place of a sentence ("[node]: samples."). A sentence that
happens to open so ("For GPUs the clock is absent.") is turned round ("The clock is absent for GPUs."). Read are the documentation
comments (///, and docstrings in Python) and the comment that opens a file; of all others, which may go on from the code before them, only
the words that never open a sentence.
"""

import ast
import re

import lint

FOLDERS = ("harness", "ert", "validation", "proxies", "analysis", "jobs", "tests")
MARKS = {suffix: "///?" for suffix in (".hpp", ".cpp", ".h", ".c", ".cu", ".cuh")} | {".py": "#"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

# What a comment anywhere does not open with.
NEVER = set("of those such its their them likewise whose".split())

# What a documentation comment, or a file, does not open with either.
PRONOUNS = set("it they he who which what that both none nothing".split())
PREPOSITIONS = set(
    "as at before after behind beside besides between beyond by for from in inside into like on out over since than to under until"
    " unlike up with within without".split()
)
CLAUSES = set("and because but how if nor not once or so unless when where while why".split())
VALUES = set("absent collective collectively empty false null nullopt nullptr true".split())
FRAGMENTS = NEVER | PRONOUNS | PREPOSITIONS | CLAUSES | VALUES

# Words that only look like a subject: "One that ...", "The same for a file."
ELLIPSES = re.compile(
    r"one (?:of|that|who|whose|which|with|without)\b|the same(?:[.,:;]|$| (?:as|at|by|elsewhere|for|here|in|of|on|there|with)\b)",
    re.IGNORECASE,
)

LICENSE = "SPDX-License-Identifier"
WORD = re.compile(r"[A-Za-z][\w'-]*")
EXAMPLE = re.compile(r"[\"'(\[{<]")


def blocks(text, marks):
    """The comments that stand on lines of their own: number of the first line, mark, lines without it."""
    pattern, found = re.compile(rf"\s*(?P<mark>{marks})(?![/!])(?P<text>.*)"), None
    for number, line in enumerate(text.splitlines(), 1):
        comment = pattern.match(line)
        if found and comment and comment.group("mark") == found[1]:
            found[2].append(comment.group("text").strip())
            continue
        if found:
            yield found
        found = (number, comment.group("mark"), [comment.group("text").strip()]) if comment else None
    if found:
        yield found


def docstrings(text):
    """The docstrings of Python: number of the first line, and lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and (said := ast.get_docstring(node)):
            yield node.body[0].lineno, said.splitlines()


def comments(path):
    """All comments of a file: number of the first line, whether it is a documentation comment or opens the file, lines."""
    text = path.read_text()
    for number, mark, lines in blocks(text, MARKS[path.suffix]):
        yield number, mark == "///" or (number == 1 and mark != "#"), lines
    if path.suffix == ".py":
        for number, lines in docstrings(text):
            yield number, True, lines


def opening(lines):
    """The first line that says something; empty where only a license is named."""
    return next((line for line in lines if line and not line.startswith(LICENSE)), "")


def fault(said, is_documentation):
    """The fault of a comment that opens with these words; None where it has none."""
    if not said or (not is_documentation and said.startswith(("-", "clang-format", "NOLINT"))):
        return None
    if is_documentation and EXAMPLE.match(said):
        return "opens with an example: say first what it is one of"
    word = WORD.match(said)
    if word and word.group().lower() in (FRAGMENTS if is_documentation else NEVER):
        return f"opens with '{word.group()}': begin with what it speaks of"
    if is_documentation and ELLIPSES.match(said):
        return f"opens with '{' '.join(said.split()[:2])}', which says nothing without what stands before it"
    return None


def complaints(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in MARKS:
                continue
            for number, is_documentation, lines in comments(path):
                said = opening(lines)
                if why := fault(said, is_documentation):
                    yield f"{path.relative_to(root)}:{number}: a comment {why}: {said[:80]}"


if __name__ == "__main__":
    lint.run(complaints, "comments open with whole sentences")
