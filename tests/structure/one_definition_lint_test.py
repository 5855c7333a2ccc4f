"""The lint itself: what may be there twice passes, and a type that is there twice is found."""

import pathlib
import subprocess
import sys

LINT = pathlib.Path(__file__).with_name("one_definition_lint.py")


def lint(root, **files):
    for path, text in files.items():
        file = root / path.replace("__", "/")
        file = file.with_suffix(".hpp")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run([sys.executable, LINT, root], capture_output=True, text=True)


def within(space, text):
    return f"namespace {space} {{\n\n{text}\n\n}}  // namespace {space}\n"


def test_a_type_that_is_there_twice_is_found_whatever_its_kind(tmp_path):
    ended = lint(tmp_path, harness__a__x=within("p", "struct Twice {\n};"), ert__y=within("p", "enum class Twice { one };"))
    assert ended.returncode == 1 and ended.stdout == "p::Twice is defined more than once: harness/a/x.hpp:3, ert/y.hpp:3\n", ended.stdout


def test_a_test_may_not_take_a_name_of_the_program(tmp_path):
    ended = lint(tmp_path, harness__a__x=within("p", "class Own final : public Base {\n};"), tests__y=within("p", "struct Own {\n};"))
    assert ended.returncode == 1 and "p::Own" in ended.stdout, ended.stdout


def test_names_of_other_namespaces_unnamed_ones_declarations_and_two_tests_pass(tmp_path):
    unnamed = "namespace {\n\nstruct Mine {\n};\n\n}  // namespace\n"
    ended = lint(
        tmp_path,
        harness__a__x=within("p", "struct One {\n};\nstruct Two;\n" + unnamed),
        harness__b__x=within("p::q", "struct One {\n};"),
        ert__x=within("p", "struct Two {\n};\n" + unnamed),
        tests__a=within("t", "struct Three {\n};"),
        tests__b=within("t", "struct Three {\n};"),
    )
    assert ended.returncode == 0, ended.stdout
