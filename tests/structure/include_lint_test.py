"""The lint itself: a tree that keeps the rules passes, and each kind of breach is found."""

import pathlib
import subprocess
import sys

import pytest

LINT = pathlib.Path(__file__).with_name("include_lint.py")


def lint(tmp_path, path, text):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return subprocess.run([sys.executable, LINT, tmp_path], capture_output=True, text=True)


def test_a_module_may_include_itself_and_core(tmp_path):
    assert lint(tmp_path, "harness/store/a.cpp", '#include "store/b.hpp"\n#include "core/records.hpp"\n#include <hdf5.h>\n').returncode == 0


@pytest.mark.parametrize(
    "path, text, word",
    [
        ("harness/core/a.hpp", '#include "store/journal.hpp"\n', "core must not know store"),
        ("validation/a.cpp", '#include "measure/clock.hpp"\n', "validation must not know measure"),
        ("harness/app/a.cpp", "#include <mpi.h>\n", "mpi.h belongs to comm"),
        ("harness/model/a.cpp", "#include <H5Dpublic.h>\n", "belongs to store"),
        ("harness/measure/a.cpp", 'void f() { fmt::print("x"); }\n', "only app prints"),
        ("harness/counters/a.cpp", "#include <cupti_result.h>\n", "cupti_result.h belongs to harness/counters/cupti"),
        ("harness/machine/a.cpp", "#include <cupti_result.h>\n", "cupti_result.h belongs to counters"),
        ("harness/novel/a.cpp", "\n", "has no rule"),
    ],
)
def test_a_breach_is_found(tmp_path, path, text, word):
    ended = lint(tmp_path, path, text)
    assert ended.returncode == 1
    assert word in ended.stdout
