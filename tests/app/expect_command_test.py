"""plumbline expect: what papers say, held against a file whose every number is known (known_results.cpp) and against a small campaign that is counted;
and each expectation that comes along, held against the kernels, parameters, ceilings and campaigns that there are."""

import csv
import fnmatch
import io
import json
import os
import pathlib
import subprocess
import tomllib

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = [(path, one) for path in sorted((ROOT / "jobs/expectations").glob("*.toml")) for one in tomllib.loads(path.read_text())["expectation"]]
HEAD = 'schema = "plumbline-expectations/1"\npaper = "Me 2026"\n'
ENTRY = """
[[expectation]]
id = "{id}"
statement = "a triad of 1000 elements takes a microsecond"
where = "table 7"
campaigns = "quick"
rows.triad = {{kernel = "validation/triad", flavor = "{flavor}", params = {{n = 1000}}}}
quantity = '{quantity}'
{bounds}
"""
COUNTED = """
schema = "plumbline-campaign/1"
counters = "emulated"
[timing]
min_seconds = 0.001
max_repetitions = 5
[[cases]]
kernel = "validation/[dt]*"
precision = "fp64"
flavor = "gcc-O3-v3"
params = {n = [5000, 8000, 10000, 15000, 20000, 24000, 28000]}
exclude = ["*/dgemm/*"]
"""


def expect(*words, code=0):
    done = subprocess.run([PLUMBLINE, "expect", *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code == 2 else done.stdout


def rows(*words, code=0):
    return {row["id"]: row for row in json.loads(expect(*words, "--json", code=code))["rows"]}


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "known.h5"
    subprocess.run([os.environ["KNOWN_RESULTS"], path], check=True)
    return path


@pytest.fixture
def mine(tmp_path):
    """Writes a file of one expectation."""

    def write(quantity="1e6 * seconds(triad)", bounds="about = 1\nwithin = 0.01", flavor="gcc12-O3-v3", name="mine"):
        path = tmp_path / f"{name}.toml"
        path.write_text(HEAD + ENTRY.format(id=name, quantity=quantity, bounds=bounds, flavor=flavor))
        return path

    return write


def judged(known, file, code=0):
    return rows(known, "--expectations", file, "--id", file.stem, code=code)[file.stem]


# ------------------------------------------------------------------------------------------------------------------- verdicts

def test_what_is_as_expected_is_confirmed(known, mine):
    row = judged(known, mine())
    assert (row["verdict"], row["measured"], row["comparisons"], row["reason"]) == ("confirmed", pytest.approx(1), 1, None)
    assert row["source"] == "Me 2026, table 7" and row["by"] == ["times"] and row["decided_by"] == str(known)
    assert (row["expected_lo"], row["expected_hi"]) == (pytest.approx(0.99), pytest.approx(1.01))


def test_what_is_not_differs_with_exit_3_and_with_its_reason_where_one_is_known(known, mine):
    row = judged(known, mine(bounds="least = 2"), code=3)
    assert (row["verdict"], row["measured"], row["reason"], row["reason_known"]) == ("differs", pytest.approx(1), None, False)
    why = 'least = 2\n[[expectation.known]]\nleast = {}\nmost = {}\nreason = "a quick machine"\n'
    row = judged(known, mine(bounds=why.format(0.5, 1.5)), code=3)
    assert (row["verdict"], row["reason"], row["reason_known"]) == ("differs", "a quick machine", True)
    row = judged(known, mine(bounds=why.format(1.2, 1.5)), code=3)
    assert (row["reason"], row["reason_known"]) == (None, False)  # what was measured is not what that reason leads to


@pytest.mark.parametrize(("changes", "why"), [
    ({"flavor": "gcc99-*"}, "no rows of validation/triad n=1000 gcc99-*; 'plumbline run quick' measures them"),
    ({"flavor": "gcc12-O3-v4"}, "it has no time: no AVX-512 here"),
    ({"quantity": "gflops(triad)"}, "no score decides on emulated.flops.fp64, so that it confirms nothing"),
    ({"quantity": "ai.L1(triad)"}, "no score decides on emulated.flops.fp64, so that it confirms nothing"),
    ({"quantity": "flops(triad)", "flavor": "gcc13-*"}, "nobody counted it: only the model speaks"),
    ({"quantity": 'param("m", triad)'}, "it has no parameter 'm'"),
    ({"quantity": 'model("bytes.L1-L2", triad)'}, "its model does not tell 'bytes.L1-L2' exactly"),
    ({"quantity": 'counted("miles", triad)'}, "no counter 'miles' counted it"),
    ({"quantity": 'fit(seconds(triad), param("n", triad))'}, "1 rows are too few: 3 or more are needed"),
    ({"bounds": 'least = 0\nspace = "gpu"'}, ("no rows of validation/triad n=1000 gcc12-O3-v3 on a GPU", "validation/triad has no version for GPUs")),
    ({"bounds": 'least = 0\nmachines = "*EPYC*"'}, "it is of *EPYC*, not of a machine without name"),
])  # fmt: skip
def test_what_cannot_be_measured_says_why(known, mine, changes, why):
    row = judged(known, mine(**changes))
    assert (row["verdict"], row["measured"]) == ("not_measurable", None)
    assert row["reason"].startswith(why), row["reason"]


def test_models_parameters_and_counters_on_trial_are_numbers(known, mine):
    assert judged(known, mine(quantity='model("paper.bytes", triad) / param("n", triad)', bounds="about = 24\nwithin = 1e-9"))["verdict"] == "confirmed"
    row = judged(known, mine(quantity='counted("accesses x 16 B", triad)', bounds="about = 12000\nwithin = 1e-9"))
    assert row["verdict"] == "confirmed" and "itself on trial" in row["by"][0]


def test_ceilings_are_rows(known, tmp_path):
    file = tmp_path / "mine.toml"
    text = HEAD + ENTRY.format(id="mine", quantity="best(triad)", bounds="about = 100\nwithin = 1e-9", flavor="*")
    file.write_text("\n".join('rows.triad = {ceiling = "FP64 vector F*"}' if line.startswith("rows.") else line for line in text.splitlines()))
    assert judged(known, file)["by"] == ["ceilings"]


def test_ceilings_of_a_gpu_are_held_against_what_is_said_of_gpus_and_of_that_gpu(tmp_path):
    subprocess.run([os.environ["KNOWN_RESULTS"], tmp_path / "gpu.h5", "gpu"], check=True)
    found = rows(tmp_path / "gpu.h5")
    assert found["fp16-above-fp32-on-gpus"]["verdict"] == "confirmed" and found["fp16-above-fp32-on-gpus"]["measured"] == pytest.approx(1.9)
    assert found["fp16-above-fp32"]["verdict"] == "not_measurable"  # which is said of CPUs
    assert found["v100-fp32-peak"]["reason"] == "it is of *V100*, not of Tesla T4"
    assert found["v100-tensor-cores"]["reason"].startswith("no rows of ceiling 'GPU tensor FP16 cuBLAS' on a GPU; 'plumbline run gpu_ceilings'")


def test_every_value_that_is_listed_must_be_there(known, mine):
    file = mine()
    file.write_text(file.read_text().replace("n = 1000", "n = [1000, 2000]"))
    assert judged(known, file)["reason"] == "there is no row of n=2000 for validation/triad"


def test_a_kernel_that_this_program_lacks_is_named(known, mine):
    file = mine()
    file.write_text(file.read_text().replace("validation/triad", "validation/traid").replace(", params = {n = 1000}", ""))
    assert judged(known, file)["reason"].startswith("this program has no kernel 'validation/traid'; did you mean 'validation/triad'?")


def test_what_was_disturbed_throughout_decides_nothing():
    """A file that is kept, of a machine on which others were at work (tests/golden)."""
    found = rows(ROOT / "tests/golden/schema1_2026-11.h5", code=3)
    assert found["triad-L1"]["verdict"] == "confirmed" and found["triad-L1"]["by"] == ["emulated.bytes.reg-L1 (B)", "emulated.flops.fp64 (A)"]
    assert found["L1-above-L2"]["verdict"] == "confirmed"
    assert found["L2-above-memory"]["reason"] == "each of its samples was disturbed (mem load)"


# ---------------------------------------------------------------------------------------------------------- what is malformed

@pytest.mark.parametrize(("text", "complaint"), [
    ("[", "not valid TOML"),
    ("", "mine.toml:1:1: a file of expectations begins with schema"),
    (HEAD + "[[expectation]]\nid = 7\n", "mine.toml:4:6: 'id' in [[expectation]] must be a string"),
    (HEAD + ENTRY.format(id="x", quantity="secnds(triad)", bounds="least = 1", flavor="*"), "did you mean 'seconds'?"),
    (HEAD + ENTRY.format(id="x", quantity="seconds(triad)", bounds="", flavor="*"), "needs 'least' or 'most'"),
    (HEAD + ENTRY.format(id="x", quantity="seconds(triad)", bounds="least = 1\nno_such_key = 1", flavor="*"), "unknown key 'no_such_key'"),
    (HEAD + ENTRY.format(id="x", quantity="seconds(triad)", bounds="least = 1", flavor="*").replace("n = 1000", "m = 1000"), "has no parameter 'm'"),
    (HEAD + ENTRY.format(id="x", quantity="seconds(triad)", bounds='least = 1\nby = "m"', flavor="*"), "'by' names no parameter"),
    (HEAD + ENTRY.format(id="triad-L1", quantity="seconds(triad)", bounds="least = 1", flavor="*"), "has an expectation 'triad-L1' already"),
])  # fmt: skip
def test_what_is_malformed_is_refused_in_a_line(known, tmp_path, text, complaint):
    (tmp_path / "mine.toml").write_text(text)
    said = expect(known, "--expectations", tmp_path / "mine.toml", code=2)
    assert complaint in said and said.count("\n") == 1


def test_unknown_names_and_files_are_refused(known, tmp_path):
    assert "there is no expectation 'triad-L2'; did you mean 'triad-L1'?" in expect(known, "--id", "triad-L2", code=2)
    assert "--expectations FILE" in expect(known, "--own", code=2)
    assert "no-such.h5" in expect(tmp_path / "no-such.h5", code=2)
    assert "no-such.toml" in expect(known, "--expectations", tmp_path / "no-such.toml", code=2)


# --------------------------------------------------------------------------------------------------------------------- forms

def test_without_files_what_is_expected_is_listed():
    listed = rows()
    assert list(listed) == [one["id"] for _, one in SHIPPED]
    assert {row["verdict"] for row in listed.values()} == {"not_measurable"} and all(row["reason"] for row in listed.values())


def test_the_same_rows_in_every_form(known, mine):
    words = [known, "--expectations", mine(bounds="least = 2"), "--id", "mine", "--id", "triad-L1"]
    text = expect(*words, code=3)
    assert "Me 2026\n" in text and "differs" in text and "2 expectations: 0 confirmed, 1 differ (0 for a known reason), 1 not measurable here" in text
    table = list(csv.DictReader(io.StringIO(expect(*words, "--csv", code=3))))
    assert [row["id"] for row in table] == ["triad-L1", "mine"] and table[1]["verdict"] == "differs"
    assert "| table 7 |" in expect(*words, "--markdown", code=3)


# --------------------------------------------------------------------------------------------- by counters that are trusted

@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    if "PLUMBLINE_EMULATOR" not in os.environ:
        pytest.skip("the program was built without the emulator: nothing counts")
    folder = tmp_path_factory.mktemp("counted")
    (folder / "small.toml").write_text(COUNTED)
    done = subprocess.run([PLUMBLINE, "run", "small.toml", "-o", "small.h5"], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "small.h5"


def test_papers_are_held_against_trusted_counters(counted):
    found = rows(counted, code=3)
    right, allocates = found["triad-L1"], found["triad-beyond-L1"]
    assert right["verdict"] == "confirmed" and right["measured"] == pytest.approx(1 / 12, rel=0.02)
    assert right["by"] == ["emulated.bytes.reg-L1 (A)", "emulated.flops.fp64 (A)"]
    assert allocates["verdict"] == "differs" and allocates["measured"] == pytest.approx(1 / 16, rel=0.02)
    assert "write-allocate" in allocates["reason"]
    assert found["gpp-L3-linear"]["verdict"] == "not_measurable"


def test_grades_of_one_file_count_in_another_that_decides_nothing(counted, known, tmp_path):
    """One case decides on no counter; beside a file of the same node that does, it is decided, and the table says by whose grade."""
    alone = tmp_path / "alone.h5"
    (tmp_path / "alone.toml").write_text(COUNTED.replace("[5000, 8000, 10000, 15000, 20000, 24000, 28000]", "200000").replace("[dt]*", "triad"))
    subprocess.run([PLUMBLINE, "run", tmp_path / "alone.toml", "-o", alone], check=True, capture_output=True, timeout=300)
    assert rows(alone, "--id", "triad-L1")["triad-L1"]["verdict"] == "not_measurable"
    assert known.exists() and rows(alone, known, "--id", "triad-L1")["triad-L1"]["verdict"] == "not_measurable"  # of another node
    table = rows(alone, counted, "--id", "triad-L1")["triad-L1"]
    assert table["verdict"] == "confirmed"
    (tmp_path / "mine.toml").write_text(HEAD + ENTRY.format(id="mine", quantity="ai.L1(triad)", bounds="about = 0.0833\nwithin = 0.01", flavor="*").replace("1000}", "200000}"))
    row = rows(alone, counted, "--expectations", tmp_path / "mine.toml", "--id", "mine")["mine"]
    assert row["verdict"] == "confirmed" and row["decided_by"] == str(alone)
    assert row["by"] == ["emulated.bytes.reg-L1 (A by another of the files)", "emulated.flops.fp64 (A by another of the files)"]


def test_what_a_counter_leaves_open_decides_only_where_all_of_it_lies_on_one_side(counted, tmp_path):
    """A counter that was seen to miss a fifth leaves an interval, and with it the intensity."""
    def run(*words):
        subprocess.run([PLUMBLINE, *map(str, words)], check=True, capture_output=True, timeout=300)

    chosen, by_set = tmp_path / "set.toml", tmp_path / "by_set.h5"
    run("score", counted, "--choose", chosen)
    chosen.write_text(chosen.read_text().replace("ratio_least = 1.0", "ratio_least = 0.8"))
    run("run", counted.with_name("small.toml"), "--counters", chosen, "-o", by_set)

    def verdict(bounds, code=0):
        text = HEAD + ENTRY.format(id="mine", quantity="ai.L1(triad)", bounds=bounds, flavor="*").replace(", params = {n = 1000}", ", params = {n = 20000}")
        (tmp_path / "mine.toml").write_text(text)
        return rows(by_set, "--expectations", tmp_path / "mine.toml", "--id", "mine", code=code)["mine"]

    assert verdict("most = 0.2")["verdict"] == "confirmed"
    assert verdict("most = 0.05", code=3)["verdict"] == "differs"
    low, high = verdict("most = 0.2")["measured_lo"], verdict("most = 0.2")["measured_hi"]
    assert high > 1.1 * low
    across = verdict(f"most = {(low + high) / 2}")
    assert across["verdict"] == "not_measurable" and across["reason"] == "what its counters or samples leave open decides: the interval lies across a bound"


# ------------------------------------------------------------------------------------------------------------ what comes along

def listed(what):
    return json.loads(subprocess.run([PLUMBLINE, "list", what, "--json"], capture_output=True, text=True, check=True).stdout)["rows"]


def ceilings_of_other_cpus():
    """The names of ceilings that CPUs had whose files are kept: this one may lack an arithmetic (FP16) that another has."""
    names = set()
    for file in sorted((ROOT / "tests/golden/cpus").glob("*.h5")):
        ended = subprocess.run([PLUMBLINE, "ceilings", file, "--json"], capture_output=True, text=True, check=True)
        names |= {row["name"] for row in json.loads(ended.stdout)["rows"]}
    return names


@pytest.fixture(scope="module")
def there():
    campaigns = {path.stem: path.read_text() for path in (ROOT / "jobs/campaigns").rglob("*.toml")}
    ceilings = {row["ceiling"] for row in listed("ceilings")} | ceilings_of_other_cpus()
    return {"kernels": {row["kernel"]: row for row in listed("kernels")}, "ceilings": ceilings, "campaigns": campaigns}


def test_enough_come_along():
    assert len(SHIPPED) >= 20 and len({one["id"] for _, one in SHIPPED}) == len(SHIPPED)
    assert len({path for path, _ in SHIPPED}) == 5


@pytest.mark.parametrize(("path", "one"), SHIPPED, ids=[one["id"] for _, one in SHIPPED])
def test_an_expectation_has_a_source_and_names_what_there_is(path, one, there):
    assert tomllib.loads(path.read_text())["paper"] and one["where"] and not one["statement"][0].islower() and not one["statement"].endswith(".")
    campaigns = [one["campaigns"]] if isinstance(one["campaigns"], str) else one["campaigns"]
    text = "".join(there["campaigns"][name] for name in campaigns)
    for rows_of in one["rows"].values():
        if "ceiling" in rows_of:
            assert rows_of["ceiling"].startswith("GPU ") or rows_of["ceiling"].split()[0] in ("L1", "L2", "mem") or rows_of["ceiling"] in there["ceilings"]
            continue
        assert rows_of["kernel"] in there["kernels"]
        assert any(fnmatch.fnmatch(rows_of["kernel"], line.split('"')[1]) for line in text.splitlines() if line.startswith("kernel"))


def test_the_page_tells_each_word_of_formulas():
    page = (ROOT / "jobs/expectations/README.md").read_text()
    source = (ROOT / "harness/app/expectations/formula.cpp").read_text()
    words = [line.split('"')[1] for line in source.splitlines() if "FormulaWord{" in line]
    assert len(words) > 15 and not [word for word in words if word.split("(")[0].removesuffix(".LEVEL") not in page]
