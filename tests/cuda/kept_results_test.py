"""Results that `bash jobs/test.sh --gpu` keeps of a GPU (tests/golden/gpu), judged anew from its raw samples: ceilings, scores, places under the roofs,
figures and a projection are those that were told then. The same of a rehearsal: all parts that need no NVIDIA tool, gone through by the real
program on a stand-in GPU, which measures the host and whose counters count nonsense.

From the environment: PLUMBLINE, STAND_IN_CUDA, STAND_IN_CUPTI, STAND_IN_NVML.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = SOURCE / "tests/golden/gpu"
sys.path.insert(0, str(SOURCE / "jobs/gpu"))
import goals  # noqa: E402
import reference  # noqa: E402
import results_page  # noqa: E402

NVIDIA_SMI = """#!/bin/sh
if [ "$1" = -L ]; then echo "GPU 0: a stand-in"; else printf 'Driver Version : none\\n    Product Name : a stand-in\\n'; fi
"""
HEAD = 'schema = "plumbline-campaign/1"\nname = "small"\n'
GPU = 'team = [{gpus = 1}]\nflavor = "cuda*"\n'
CAMPAIGNS = {
    "gpu_ceilings": HEAD + """passes = ["time"]
counters = "none"
[ceilings]
mode = "full"
gpus = true
rounds = 2
only = ["GPU FP64 FMA", "GPU FP64 mul+add", "GPU shared load", "GPU launch, stream"]
""",
    "gpu_validation": HEAD + f"""passes = ["time", "count"]
counters = "auto"
[timing]
min_seconds = 0.0005
max_repetitions = 6
[ceilings]
gpus = true
rounds = 1
only = ["GPU FP64 FMA"]
[[cases]]
kernel = "validation/series"
precision = "fp64"
{GPU}params = {{m = 64, n = [3, 8]}}
[[cases]]
kernel = "validation/triad"
{GPU}params = {{n = [1000, 4000]}}
[[cases]]
kernel = "validation/half"
{GPU}params = {{form = "packed", kind = "fma", n = 4096}}
[[cases]]
kernel = "ert/peak"
precision = "fp64"
{GPU}params = {{form = "muladd", blocks = 1, threads = 32, iterations = 1}}
""",
    "gpu_papers": HEAD + f"""passes = ["time", "count"]
counters = "auto"
[timing]
min_seconds = 0.0005
max_repetitions = 6
[[cases]]
kernel = "proxies/gpp"
precision = "fp64"
{GPU}params = {{nbands = 8, ngpown = 4, ncouls = 64, nw = [1, 2]}}
""",
}


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture(scope="session")
def rehearsed(tmp_path_factory):
    """The exit code of run_parts.py, and its folder of results."""
    folder = tmp_path_factory.mktemp("rehearsal")
    shutil.copytree(SOURCE / "jobs/gpu", folder / "gpu")
    # Every ceiling of a GPU, its own launches, NVIDIA's tools, and a program by others.
    for part in ("35-repeat", "45-kernels", "50-ncu", "60-others", "70-sanitizer"):
        (folder / f"gpu/parts/{part}.sh").unlink()
    programs = folder / "programs"
    program(programs / "bin/plumbline", f'#!/bin/sh\nexec {os.environ["PLUMBLINE"]} "$@"\n')
    program(programs / "bin/a_test", "#!/bin/sh\necho ran\n")
    (programs / "bin/gpu_tests.txt").write_text("a_test\n")
    for name, text in CAMPAIGNS.items():
        campaign = programs / f"share/plumbline/jobs/campaigns/{name}.toml"
        campaign.parent.mkdir(parents=True, exist_ok=True)
        campaign.write_text(text)
    program(folder / "path/nvidia-smi", NVIDIA_SMI)
    shutil.copy(os.environ["STAND_IN_NVML"], folder / "path/libnvidia-ml.so.1")
    surroundings = {**os.environ, "PATH": f"{folder}/path:/usr/bin:/bin", "PLUMBLINE_CUDA_MODULE_PATH": os.environ["STAND_IN_CUDA"],
                    "PLUMBLINE_CUPTI_PATH": os.environ["STAND_IN_CUPTI"], "LD_LIBRARY_PATH": f"{os.environ['STAND_IN_CUPTI']}:{folder}/path",
                    "PLUMBLINE_STAND_IN_BYTES": str(64 << 20)}
    ended = subprocess.run([sys.executable, folder / "gpu/run_parts.py", "--programs", programs, "--results", folder / "results", "--seconds", "480"],
                           capture_output=True, text=True, timeout=400, env=surroundings)
    return ended, folder / "results"


def test_all_parts_are_gone_through(rehearsed):
    ended, results = rehearsed
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "gpu: all parts are done" in ended.stdout
    found = reference.load(results / "kept/reference.json")
    assert {part for part, one in found["parts"].items() if one["how"] == "passed"} == {"10-facts", "20-tests", "30-ceilings", "40-validation",
                                                                                           "55-applications", "75-recount"}
    assert all(one["flops"] and one["seconds"] for one in found["applications"]) and len(found["applications"]) == 2
    [gpu] = found["gpus"]
    assert (gpu["name"], gpu["multiprocessors"], gpu["compute_capability"]) == ("stand-in GPU 0 (the host)", 1, "9.0")
    assert gpu["conditions"]["before"]["power_watts"]["value"] > 0
    assert found["gpu"]["Product Name"] == "a stand-in"


def test_goals_candidates_and_questions_have_their_numbers(rehearsed):
    found = reference.load(rehearsed[1] / "kept/reference.json")
    of_line = {(one["line"], one["ceiling"]): one for one in goals.all_goals(found)}
    ceilings = {one["name"]: one for one in found["ceilings"]}
    share = ceilings["GPU FP64 mul+add"]["value"] / ceilings["GPU FP64 FMA"]["value"]
    assert of_line["no FMA, of FMA", "GPU FP64 mul+add"]["measured"] == f"{100 * share:.1f} %"
    assert of_line["no FMA, of FMA", "GPU FP32 mul+add"]["verdict"] == goals.NOT_MEASURED
    assert of_line["shared memory", "GPU shared load"]["measured"] == f"{ceilings['GPU shared load']['value'] * 10:.4g} B/clk/SM", "one of 100 MHz"
    assert of_line["L2", "GPU L2 load"]["verdict"] == goals.NOT_MEASURED
    counters = {one["counter"] for one in goals.candidates(found, {"quantity": "flops.fp64"})}
    assert {"cupti flops.fp64", "cupti flops.fp64.instructions"} <= counters
    assert not any(one["counter"].startswith("emulated") for one in found["counters"]), "no emulator sees a GPU"
    for goal in goals.GOALS["counter"]:
        assert bool(goals.candidates(found, goal)) == (goal["quantity"] not in ("flops.tensor.*", "bytes.L2-mem")), "neither tensor cores nor 4 GB are here"
    for question in goals.GOALS["question"]:
        asked = goals.answers(found, question)
        # nothing is measured here of tensor cores and of the link
        assert bool(asked) == (question["cases"] not in ("validation/mma/*", "ert/transfer/*", "validation/half/*/form=scalar/*")), question
    text = results_page.page({"a stand-in": found})
    assert "## a stand-in, " in text and "power " in text and "part 35-repeat: not done" in text


def plumbline(*words):
    ended = subprocess.run([os.environ["PLUMBLINE"], *map(str, words)], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(params=["rehearsed", *sorted(folder.name for folder in GOLDEN.glob("*") if folder.is_dir())])
def kept(request):
    return request.getfixturevalue("rehearsed")[1] / "kept" if request.param == "rehearsed" else GOLDEN / request.param


def same(then, now):
    """Numbers but for what another compiler's rounding makes of them."""
    if isinstance(then, dict):
        return now.keys() >= then.keys() and all(same(value, now[key]) for key, value in then.items())
    if isinstance(then, list):
        return len(then) == len(now) and all(map(same, then, now))
    return now == pytest.approx(then, rel=1e-6) if isinstance(then, float) else now == then


@pytest.mark.parametrize("table", reference.JUDGED)
def test_judged_anew_it_says_what_it_said(kept, table):
    then, now = reference.load(kept / "reference.json")[table], reference.told_anew(os.environ["PLUMBLINE"], kept, table)
    if now is None:
        assert then is None
        return
    assert then is not None and len(then) == len(now)
    assert then or table == "expectations", "a small campaign decides none of what papers say"
    different = [(one, other) for one, other in zip(then, now) if not same(one, other)]
    assert not different, different[:3]


@pytest.mark.parametrize("result, figures", [("ceilings", {"bandwidth"}), ("validation", {"roofline", "accuracy"})])
def test_figures_are_drawn_of_it(kept, result, figures, tmp_path):
    if kept.name == "kept":  # a rehearsal has no level of memory, and no counter by which a kernel could be placed
        figures = {"accuracy"} & figures
    plumbline("report", kept / f"{result}.h5", "-o", tmp_path, "--python", "/usr/bin/python3")
    drawn = {re.match("[a-z]+", file.name)[0] for file in tmp_path.glob("*.png")}
    assert figures <= drawn, drawn


def test_projected_onto_its_own_gpu_it_takes_as_long(kept):
    store = kept / "validation.h5"
    [row] = json.loads(plumbline("project", store, "--to", store, "--json"))["rows"]
    assert row["groups"] and all(one["scope"] == "gpu" and one["projected_seconds"] == pytest.approx(one["seconds"]) for one in row["groups"])
    bound = {one["case"] for one in reference.load(kept / "reference.json")["cases"] if one["bound"]}
    assert {one["group"] for one in row["groups"]} == bound


def test_the_page_is_that_of_the_kept_results():
    kept = {file.parent.name: reference.load(file) for file in sorted(GOLDEN.glob("*/reference.json"))}
    assert (SOURCE / "jobs/gpu/RESULTS.md").read_text() == results_page.page(kept), f"make it anew: {results_page.COMMAND}"
