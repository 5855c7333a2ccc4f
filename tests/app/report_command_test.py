"""plumbline report: it draws through Python what the other commands say, and leaves nothing half done behind when it cannot."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
for module in ("h5py", "pandas", "matplotlib"):
    pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")
import matplotlib.image  # noqa: E402


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "known.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path], check=True)
    return path


def report(*words):
    return subprocess.run([PLUMBLINE, "report", *map(str, words)], capture_output=True, text=True)


def refused(folder, code, word, *words):
    """One line that has `word`, the exit code, and nothing new in the folder."""
    before = set(folder.glob("**/*")) if folder.exists() else set()
    done = report(*words, "-o", folder)
    assert done.returncode == code and done.stdout == "", done
    assert done.stderr.count("\n") == 1 and word in done.stderr, done.stderr
    assert set(folder.glob("**/*")) - before == set()


@pytest.fixture(scope="module")
def drawn(results, tmp_path_factory):
    """The report of the results: as it ended, and its folder."""
    folder = tmp_path_factory.mktemp("drawn")
    done = report(results, "-o", folder)
    assert done.returncode == 0, done.stderr
    return done, folder


def test_figures_page_and_judgements_are_written(drawn):
    done, folder = drawn
    for command in ("show", "ceilings", "score", "nodes"):
        assert json.loads((folder / f"known.{command}.json").read_text())["schema"] == f"plumbline-{command}/1"
    assert (folder / "report.html").exists() and list(folder.glob("roofline-*.png")) and (folder / "accuracy.svg").exists()
    assert not list(folder.glob(".*"))
    assert done.stderr.count("\n") <= 1


def test_still_figures_have_the_ground_that_was_asked_for(results, drawn, tmp_path):
    done = report(results, "-o", tmp_path, "--dark")
    assert done.returncode == 0, done.stderr
    for folder, lightest in ((drawn[1], 1.0), (tmp_path, 0.2)):
        figures = list(folder.glob("*.png"))
        assert figures
        for path in figures:
            corner = matplotlib.image.imread(path)[0, 0, :3]
            assert lightest - 0.15 < corner.max() <= lightest, path


def test_a_second_file_is_judged_too_and_named_in_the_page(results, tmp_path):
    before = tmp_path / "before.h5"
    before.write_bytes(results.read_bytes())
    done = report(results, "--against", before, "-o", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    for command in ("against-show", "against-ceilings", "against-score", "compare"):
        assert json.loads((tmp_path / "figures" / f"known.{command}.json").read_text())["schema"] == f"plumbline-{command.removeprefix('against-')}/1"
    assert "Against before.h5" in (tmp_path / "figures" / "report.html").read_text()
    refused(tmp_path / "none", 2, "missing.h5", results, "--against", tmp_path / "missing.h5")


def test_a_folder_of_nights_is_held_against_no_file(results, tmp_path):
    done = report(tmp_path, "--against", results, "-o", tmp_path / "figures")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "is a folder" in done.stderr, done.stderr
    for option, value in (("--by", "accesses x 16 B"), ("--convention", "ncu")):
        done = report(tmp_path, option, value, "-o", tmp_path / "figures")
        assert done.returncode == 2 and done.stderr == f"plumbline: {option} says how cases of a result file are placed; '{tmp_path}' is a folder of nights\n"


def test_a_bad_file_is_one_line_and_leaves_nothing_behind(results, tmp_path):
    (tmp_path / "letter.h5").write_text("Dear reader")
    (tmp_path / "cut.h5").write_bytes(results.read_bytes()[:3000])
    for name in ("missing.h5", "letter.h5", "cut.h5"):
        refused(tmp_path / "figures", 2, name, tmp_path / name)


def test_a_bad_file_leaves_the_judgements_of_the_last_report(tmp_path):
    (tmp_path / "known.h5").write_text("Dear reader")
    (tmp_path / "known.show.json").write_text("the last one")
    refused(tmp_path, 2, "known.h5", tmp_path / "known.h5")
    assert (tmp_path / "known.show.json").read_text() == "the last one"


def test_a_judgement_that_cannot_take_its_name_is_one_line_and_exit_1(results, tmp_path):
    (tmp_path / "known.show.json").mkdir()
    refused(tmp_path, 1, "known.show.json", results)


def test_an_output_that_is_no_folder_is_one_line_and_exit_1(results, tmp_path):
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file" / "figures", 1, "choose another folder", results)


def test_a_python_that_is_not_there_is_named(results, tmp_path):
    done = report(results, "-o", tmp_path, "--python", "/nowhere/python3")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "/nowhere/python3" in done.stderr


def test_the_environment_names_a_python_and_the_option_wins(results, tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PYTHON", "/nowhere/python3")
    for words, named in (([], "/nowhere/python3"), (["--python", "/elsewhere/python3"], "/elsewhere/python3")):
        done = report(results, "-o", tmp_path, *words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and named in done.stderr, done.stderr


def test_an_error_that_nobody_foresaw_in_python_is_one_line(results, tmp_path):
    package = tmp_path / "share" / "analysis" / "plumbline_analysis"
    source = pathlib.Path(__file__).resolve().parents[2] / "analysis" / "plumbline_analysis"
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    with open(package / "report.py", "a", encoding="utf-8") as module:
        module.write("\n\ndef write(*_):\n    raise ZeroDivisionError('by nobody')\n")
    words = [PLUMBLINE, "report", str(results), "-o", str(tmp_path / "figures")]
    for extra, traceback in (([], False), (["--debug"], True)):
        done = subprocess.run(words + extra, capture_output=True, text=True, env={**os.environ, "PLUMBLINE_SHARE": str(tmp_path / "share")})
        assert done.returncode == 1 and ("Traceback" in done.stderr) == traceback
        assert "known.h5" in done.stderr and "ZeroDivisionError: by nobody" in done.stderr
        assert traceback or done.stderr.count("\n") == 1
