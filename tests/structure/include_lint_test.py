"""The lint itself: a tree that keeps the rules passes, and each kind of breach is found."""

import pathlib
import shutil
import subprocess
import sys

import pytest

LINT = pathlib.Path(__file__).with_name("include_lint.py")
TABLE = pathlib.Path(__file__).parents[2] / "harness/rooms.toml"


def lint(tmp_path, **files):
    (tmp_path / "harness").mkdir()
    shutil.copy(TABLE, tmp_path / "harness")
    for path, text in files.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run([sys.executable, LINT, tmp_path], capture_output=True, text=True)


def test_a_module_may_include_itself_and_core(tmp_path):
    text = '#include "store/b.hpp"\n#include "core/records.hpp"\n#include <hdf5.h>\n'
    assert lint(tmp_path, **{"harness/store/a.cpp": text}).returncode == 0


def test_a_room_may_include_itself_and_those_before_it(tmp_path):
    text = '#include "model/scoring/b.hpp"\n#include "model/statistics/spread.hpp"\n'
    assert lint(tmp_path, **{"harness/model/scoring/a.cpp": text}).returncode == 0


@pytest.mark.parametrize(
    "path, text, word",
    [
        ("harness/core/a.hpp", '#include "store/journal.hpp"\n', "core must not know store"),
        ("validation/a.cpp", '#include "measure/clock.hpp"\n', "validation must not know measure"),
        ("harness/app/here/a.cpp", "#include <mpi.h>\n", "mpi.h belongs to comm"),
        ("harness/model/cases/a.cpp", "#include <H5Dpublic.h>\n", "belongs to store"),
        ("harness/model/cases/a.cpp", '#include "model/scoring/score.hpp"\n', "model/cases must not know model/scoring, which comes after it"),
        ("harness/model/a.cpp", "\n", "room '.' of model has no rule"),
        ("harness/model/novel/a.cpp", "\n", "room 'novel' of model has no rule"),
        ("harness/measure/a.cpp", 'void f() { fmt::print("x"); }\n', "only app prints"),
        ("harness/counters/sass/a.cpp", "#include <cupti_result.h>\n", "cupti_result.h belongs to harness/counters/cupti"),
        ("harness/machine/a.cpp", "#include <cupti_result.h>\n", "cupti_result.h belongs to counters"),
        ("harness/novel/a.cpp", "\n", "has no rule"),
    ],
)
def test_a_breach_is_found(tmp_path, path, text, word):
    ended = lint(tmp_path, **{path: text})
    assert ended.returncode == 1
    assert word in ended.stdout


def test_a_circle_is_found_through_a_source(tmp_path):
    ended = lint(tmp_path, **{"harness/store/a.hpp": "\n", "harness/store/a.cpp": '#include "store/b.hpp"\n', "harness/store/b.hpp": '#include "store/a.hpp"\n'})
    assert ended.returncode == 1
    assert "in a circle: store/a, store/b" in ended.stdout


def test_a_hall_is_found(tmp_path):
    ended = lint(tmp_path, **{f"harness/store/a{number}.hpp": "\n" for number in range(61)})
    assert ended.returncode == 1
    assert "harness/store: 61 files" in ended.stdout
