"""The plan of parts for a machine with a GPU (jobs/gpu), rehearsed by the real program on stand-ins for the module, NVIDIA's driver, CUPTI,
NVML, nvidia-smi, ncu and compute-sanitizer, which misbehave in one way at a time.

rehearse() calls run_parts.py as often as it says that parts remain. Campaigns are small ones, and all limits of the parts are divided by HURRY.
From the environment: PLUMBLINE, CUDA_PROFILE, STAND_IN_CUDA, STAND_IN_CUPTI, STAND_IN_NVML.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HURRY = 4
MOST_CALLS = 4
GRACE = 20  # seconds that a part is given to write down what it has, when its time is over
PARTS = sorted(part.stem for part in (SOURCE / "jobs/gpu/parts").glob("[0-9]*.sh"))

HEAD = 'schema = "plumbline-campaign/1"\nname = "small"\n[deadline]\nfloor_seconds = 6\n'
ON_GPU = 'team = [{gpus = 1}]\nflavor = "cuda*"\n'
TIMES = 'passes = ["time"]\ncounters = "none"\n'
COUNTS = 'passes = ["time", "count"]\ncounters = "auto"\nbeyond_memory = "skip"\n'
SERIES = f"""[timing]
min_seconds = 0.0005
max_repetitions = 6
[[cases]]
kernel = "validation/series"
precision = "fp64"
{ON_GPU}params = {{form = "loop", m = 64, n = [3, 29]}}
"""


def campaign(keys, tables):
    """A campaign's text: keys come before tables."""
    schema, name, *rest = HEAD.splitlines(keepends=True)
    return schema + name + keys + "".join(rest) + tables


CAMPAIGNS = {
    "gpu_ceilings": campaign(TIMES, """[ceilings]
mode = "full"
gpus = true
rounds = 2
only = ["GPU FP64 FMA", "GPU FP64 mul+add", "GPU shared load", "GPU launch, stream"]
"""),
    "gpu_repeat": campaign(TIMES, """[ceilings]
mode = "quick"
gpus = true
rounds = 1
only = ["GPU shared load", "GPU launch, stream"]
"""),
    "gpu_validation": campaign(COUNTS, f"""{SERIES}[ceilings]
gpus = true
rounds = 1
only = ["GPU FP64 FMA"]
[[cases]]
kernel = "validation/triad"
precision = "fp64"
{ON_GPU}params = {{n = [1000, 4000, 2000000]}}
[[cases]]
kernel = "validation/half"
precision = "fp16"
{ON_GPU}params = {{form = "packed", kind = "fma", n = [4096, 8192]}}
[[cases]]
kernel = "ert/peak"
precision = "fp64"
{ON_GPU}params = {{form = "muladd", blocks = 1, threads = 32, iterations = 1}}
"""),
    "gpu_papers": campaign(COUNTS, SERIES),
    "of_a_test": campaign(TIMES, SERIES),
    "of_a_counting_test": campaign(COUNTS, SERIES),
}

TEST = """#!/bin/sh
here=$(mktemp -d)
"$(dirname "$0")/plumbline" run "$(dirname "$0")/../share/plumbline/jobs/campaigns/CAMPAIGN.toml" -o "$here/a.h5"
code=$?
# As the tests on a GPU do, it says where there is none to run on.
[ $code != 0 ] || "$(dirname "$0")/plumbline" show "$here/a.h5" --json | grep -q '"seconds": *[0-9]' || code=77
rm -rf "$here"
exit $code
"""
NVIDIA_SMI = """#!/bin/sh
[ "$1 $STAND_IN_SMI_HANGS" = "-q 1" ] && exec sleep 600
if [ "$1" = -L ]; then echo "GPU 0: a stand-in (UUID: ${STAND_IN_SMI_UUID:-GPU-1})"; exit; fi
printf 'Driver Version : none\\n    Product Name : a stand-in\\n'
"""
# It runs the program, and has counted the FLOPs that part 40 has of the case.
NCU = """#!/usr/bin/python3
import json, os, re, subprocess, sys
words = sys.argv[1:]
command = words[next(i for i, word in enumerate(words) if word.endswith("/plumbline")):]
ended = subprocess.run(command, stdout=sys.stderr)
if ended.returncode != 0:
    sys.exit(ended.returncode)
text = open(command[2]).read()
kernel = re.search('kernel = "(.*)"', text)[1]
parameters = "/".join("=".join(one) for one in re.findall(r'(\\w+) = "?(\\w+)"?', re.search("params = (.*)", text)[1]))
rows = json.load(open(os.environ["RESULTS"] + "/40-validation/score.json"))["rows"]
counted = max(row["measured"] or 0 for row in rows if row["case"].startswith(kernel) and f"/{parameters}/" in row["case"] and row["counter"] == "cupti flops.fp64")
head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
metrics = {f"sm__sass_thread_inst_executed_op_d{kind}_pred_on.sum": ("inst", of * counted) for kind, of in (("add", 1), ("mul", 0), ("fma", 0))}
metrics["gpu__time_duration.sum"] = ("ns", 1000)
lead = ["0", "1", "plumbline", "here", "series(int)", "1", "7", "(32, 1, 1)", "(1, 1, 1)", "0", "9.0"]
for line in ([*head, *metrics], [""] * len(head) + [unit for unit, _ in metrics.values()], lead + [value for _, value in metrics.values()]):
    print(",".join(f'"{cell}"' for cell in line))
"""
SANITIZER = """#!/bin/sh
for word; do case $word in */cuda_gpu_kernels_test) "$word" || exit; esac; done
echo "ERROR SUMMARY: 0 errors"
"""


ALL_CEILINGS = {"GPU FP64 FMA", "GPU FP64 mul+add", "GPU shared load", "GPU launch, stream"}
ALL_CASES = 8


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """A way in which the stand-ins misbehave.

    `switches` of the stand-ins, and those of the second call and later ones where they are others; `not_done`: the parts that are not done at
    the end, each with a pattern of the line that says why; what is in the results that come back: names of ceilings, how many cases have a
    time, whether any of them was counted; `told`: a pattern of the one line that parts say which are done all the same;
    `needs`: a ceiling that cuBLAS is needed for, which is then wanted, too, and no library.
    """

    switches: dict
    not_done: dict = dataclasses.field(default_factory=dict)
    ceilings: set = dataclasses.field(default_factory=lambda: ALL_CEILINGS)
    timed: int = ALL_CASES
    counted: bool = True
    told: str = ""
    later: dict | None = None
    needs: str = ""

    def __post_init__(self):
        if "40-validation" in self.not_done:
            self.not_done["75-recount"] = "part 40-validation is not done"


NOTHING = {"ceilings": set(), "timed": 0, "counted": False}
NOT_COUNTED = {"45-kernels": "nothing was compared", "50-ncu": "nothing was compared"}
MEASURING = ("30-ceilings", "35-repeat", "40-validation", "55-applications")


def measures_nothing(why, of_tests="no test ran"):
    """Parts that are not done where no GPU can be used, which they say by `why`."""
    return {**{part: why for part in MEASURING}, "20-tests": of_tests, "70-sanitizer": "no summary", **NOT_COUNTED}


def counts_nothing(why):
    """Parts that are not done where counters are there for others, or for nobody."""
    return {**NOT_COUNTED, **{part: why for part in ("20-tests", "40-validation", "45-kernels")}}


LIBRARIES = ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so")

BEHAVIOURS = {
    "none": Behaviour({}),
    "a counted launch hangs": Behaviour({"STAND_IN_CUPTI_HANGS": "1"},
                                        {"20-tests": "count pass.* took longer", **NOT_COUNTED,
                                         **{part: "count pass.* took longer|not tried again" for part in ("40-validation", "55-applications")}},
                                        counted=False),
    "a ceiling hangs": Behaviour({"PLUMBLINE_STAND_IN_HANGS_IN": "ert/shared"},
                                 {"30-ceilings": "GPU shared load.* took longer", "35-repeat": "GPU shared load.* took longer"},
                                 ceilings=ALL_CEILINGS - {"GPU shared load"}),
    "a ceiling loses the context": Behaviour({"PLUMBLINE_STAND_IN_BREAKS_IN": "ert/shared"},
                                             {part: "GPU shared load.*illegal memory access" for part in ("30-ceilings", "35-repeat")},
                                             ceilings={"GPU FP64 FMA", "GPU FP64 mul+add"}),
    "a case loses the context": Behaviour({"PLUMBLINE_STAND_IN_BREAKS_IN": "validation/half"}, {"40-validation": "half.*illegal memory access"},
                                          timed=4),
    "the first sweep loses the context": Behaviour({"PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP": "1"},
                                                   measures_nothing("illegal memory access", "illegal memory access"), **NOTHING),
    "results are wrong": Behaviour({"PLUMBLINE_STAND_IN_WRONG_RESULTS": "1"},
                                   {part: "wrong result" for part in ("20-tests", "50-ncu", *MEASURING)} | {"70-sanitizer": "no summary"},
                                   **{**NOTHING, "counted": True}),
    "no ranges": Behaviour({"STAND_IN_CUPTI_DROPS_A_RANGE": "1"},
                           {**NOT_COUNTED, **{part: "CUPTI counted 0 ranges" for part in ("20-tests", "40-validation", "55-applications")}}, counted=False),
    "no empty ranges": Behaviour({"STAND_IN_CUPTI_DROPS_EMPTY_RANGES": "1"}, told="nothing is subtracted"),
    "empty ranges are refused": Behaviour({"STAND_IN_CUPTI_EMPTY_RANGE": "1"}, told="nothing is subtracted"),
    "counters are refused": Behaviour({"STAND_IN_CUPTI_ENABLE": "35"}, counted=False, told="timing only: this user is refused the GPU's counters"),
    "counters are another profiler's": Behaviour({"STAND_IN_CUPTI_ENABLE": "26"}, counts_nothing("another profiler holds the GPU's counters"),
                                                 counted=False),
    "callbacks are another tool's": Behaviour({"STAND_IN_CUPTI_SUBSCRIBE": "39"}, {"45-kernels": "has subscribed to CUPTI's callbacks"}),
    "a part of a GPU (MIG)": Behaviour({"PLUMBLINE_STAND_IN_PARTS": "1", "STAND_IN_CUPTI_ENABLE": "43"},
                                       counts_nothing(r"CUPTI does not count in this part of a GPU \(MIG\)"), counted=False),
    "another GPU from the second call on": Behaviour({"STAND_IN_CUPTI_HANGS": "1"},
                                                     later={"PLUMBLINE_STAND_IN_UUIDS_FROM": "5", "STAND_IN_SMI_UUID": "GPU-5"},
                                                     told=r"40-validation was begun on another machine's GPU \(GPU-1\): it begins anew on GPU-5"),
    "another GPU that nvidia-smi does not tell": Behaviour({"STAND_IN_CUPTI_HANGS": "1"},
                                                           {**{part: "has another GPU than the one that was measured"
                                                               for part in ("40-validation", "55-applications")}, **NOT_COUNTED},
                                                           later={"PLUMBLINE_STAND_IN_UUIDS_FROM": "5"}, counted=False),
    "too little memory": Behaviour({"PLUMBLINE_STAND_IN_BYTES": "4000000"}, timed=ALL_CASES - 1, told="is beyond memory"),
    "memory is taken": Behaviour({"PLUMBLINE_STAND_IN_BYTES_TAKEN": str((64 << 20) - 4000000)}, {"40-validation": "too little memory of the GPU"},
                                 timed=ALL_CASES - 1),
    "held by another process": Behaviour({"PLUMBLINE_STAND_IN_HELD": "1", "STAND_IN_DRIVER_HELD": "1"},
                                         measures_nothing("another process holds this GPU alone", "another process holds this GPU alone"), **NOTHING),
    "no code for the GPU": Behaviour({"PLUMBLINE_STAND_IN_NO_CODE": "1"}, measures_nothing("NOTHING WAS MEASURED"), **NOTHING),
    "CUDA sees no GPU": Behaviour({"PLUMBLINE_STAND_IN_GPUS": "0"}, measures_nothing("NOTHING WAS MEASURED"), **NOTHING),
    "the driver is too old": Behaviour({"STAND_IN_DRIVER_CUDA": "11080"}, measures_nothing("NOTHING WAS MEASURED"), **NOTHING),
    "a GPU without a UUID": Behaviour({"PLUMBLINE_STAND_IN_NAMELESS": "1"}),
    "a library is not there": Behaviour({}, needs="GPU tensor BF16 cuBLAS", told="nothing is measured for GPU tensor BF16 cuBLAS: cuBLAS cannot be opened"),
    "nvidia-smi hangs": Behaviour({"STAND_IN_SMI_HANGS": "1"}, {"10-facts": "nvidia-smi -q: ended with exit code 124"}),
}
# Switches of the stand-ins that are no misbehaviour, or one in what no part takes: times by activities.
HARMLESS = {"PLUMBLINE_STAND_IN_SIGNAL_AT_FILLING", "PLUMBLINE_STAND_IN_SLOW", "PLUMBLINE_STAND_IN_SLOW_FILLINGS", "PLUMBLINE_STAND_IN_SWEEP_NANOSECONDS",
            "PLUMBLINE_STAND_IN_TRANSFERS", "PLUMBLINE_STAND_IN_BREAKS", "STAND_IN_CUPTI_ACTIVITIES", "STAND_IN_CUPTI_ALIKE", "STAND_IN_CUPTI_CALLS",
            "STAND_IN_CUPTI_CLOCK_HZ", "STAND_IN_CUPTI_GPUS"}


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def stage(folder, needs=""):
    """The programs, tools and parts of a rehearsal; the copied judges look for the cases that its campaigns have."""
    shutil.copytree(SOURCE / "jobs/gpu", folder / "gpu")
    agreement = folder / "gpu/ncu_agreement.py"
    agreement.write_text(agreement.read_text().replace("n=29/m=4096", "n=29/m=64").replace("n=16000000", "n=4000"))
    programs = folder / "programs"
    program(programs / "bin/plumbline", f'#!/bin/sh\nexec {os.environ["PLUMBLINE"]} "$@"\n')
    for name, text in CAMPAIGNS.items():
        path = programs / f"share/plumbline/jobs/campaigns/{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("only = [", f'only = ["{needs}", ') if needs and name == "gpu_ceilings" else text)
    for library in LIBRARIES if needs else ():
        program(folder / "path" / library, "no library")
    tests = {"cuda_gpu_kernels_test": "of_a_test", "cuda_counting_test": "of_a_counting_test"}
    for name, of in tests.items():
        program(programs / f"bin/{name}", TEST.replace("CAMPAIGN", of))
    (programs / "bin/gpu_tests.txt").write_text("\n".join(tests) + "\n")
    for name, text in {"nvidia-smi": NVIDIA_SMI, "ncu": NCU, "compute-sanitizer": SANITIZER}.items():
        program(folder / "path" / name, text)
    shutil.copy(os.environ["STAND_IN_NVML"], folder / "path/libnvidia-ml.so.1")
    program(folder / "packages/torch.py", "raise ModuleNotFoundError(\"No module named 'torch'\")\n")  # a real one would look for a real GPU
    (folder / "module").mkdir()
    for library in (pathlib.Path(os.environ["STAND_IN_CUDA"]) / "libplumbline_cuda.so", pathlib.Path(os.environ["CUDA_PROFILE"])):
        (folder / "module" / library.name).symlink_to(library)
    return programs


def surroundings(folder, switches):
    return {**os.environ, "PATH": f"{folder}/path:/usr/bin:/bin", "PLUMBLINE_CUDA_MODULE_PATH": f"{folder}/module",
            "PLUMBLINE_CUPTI_PATH": os.environ["STAND_IN_CUPTI"], "LD_LIBRARY_PATH": f"{os.environ['STAND_IN_CUPTI']}:{folder}/path",
            "PLUMBLINE_STAND_IN_BYTES": str(64 << 20), "STAND_IN_CUPTI_ALIKE": "1", "PYTHONPATH": f"{folder}/packages", **switches}


@dataclasses.dataclass
class Rehearsed:
    """A rehearsal that is over, and its results."""

    results: pathlib.Path
    calls: list  # of run_parts.py, ended
    environment: dict

    @property
    def told(self):
        return "".join(call.stdout + call.stderr for call in self.calls)

    def ends(self):
        """The last end of each part, by its name; None where it was not begun."""
        files = {part: self.results / part / "ended.json" for part in PARTS}
        return {part: json.loads(file.read_text()) if file.exists() else None for part, file in files.items()}

    def rows(self, command, file, *options):
        """The rows that the program says of a kept result."""
        ended = subprocess.run([os.environ["PLUMBLINE"], command, self.results / "kept" / file, "--json", *options], capture_output=True, text=True,
                               timeout=120, env=self.environment)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)["rows"]


def rehearse(behaviour, folder, calls=MOST_CALLS):
    programs = stage(folder, behaviour.needs)
    command = [sys.executable, folder / "gpu/run_parts.py", "--programs", programs, "--results", folder / "results", "--hurry", HURRY]
    ended = []
    for call in range(calls):
        environment = surroundings(folder, behaviour.later if call > 0 and behaviour.later is not None else behaviour.switches)
        ended.append(subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=900, env=environment))
        so_far = Rehearsed(folder / "results", ended, surroundings(folder, {}))
        if ended[-1].returncode == 0 or not any(end and end["exit_code"] == 75 for end in so_far.ends().values()):
            break
    return so_far


def summary(rehearsed):
    """The summary that is kept: the calls' exit codes, and of each part its exit code, how much of its limit it took, and its words."""
    folder = str(rehearsed.results.parent)
    parts = {part: end and {"exit_code": end["exit_code"], "of_limit": round(end["seconds"] / end["limit_seconds"], 2),
                            "how": re.sub(r"; see \S+", "", end["how"]).replace(folder, "...")} for part, end in rehearsed.ends().items()}
    return {"exit_codes": [call.returncode for call in rehearsed.calls], "parts": parts}
