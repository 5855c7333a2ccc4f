# SPDX-License-Identifier: BSD-3-Clause
"""A program that launches kernels as its words say (launching.c), and plumbline profile --gpu of it, through the library that stands in for
NVIDIA's driver and CUPTI. From the environment: PLUMBLINE, STAND_IN_CUPTI (the folder; where CUPTI is left out of the build it is not
there), NVTX_INCLUDE (the folder with nvtx3/nvToolsExt.h; empty where there is none).
"""

import json
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
STAND_IN = os.environ.get("STAND_IN_CUPTI")
NVTX = os.environ.get("NVTX_INCLUDE", "")
ADD, MUL, FMA = (f"sm__sass_thread_inst_executed_op_d{kind}_pred_on.sum" for kind in ("add", "mul", "fma"))

with_cupti = pytest.mark.skipif(STAND_IN is None, reason="CUPTI is left out of this build, and cmake says why")
with_nvtx = pytest.mark.skipif(not NVTX, reason="the CUDA toolkit here has no nvtx3/nvToolsExt.h")


@pytest.fixture(scope="session")
def launching(tmp_path_factory):
    program = tmp_path_factory.mktemp("programs") / "launching"
    nvtx = ["-DWITH_NVTX", "-isystem", NVTX] if NVTX else []
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-I", HERE.parents[1] / "harness/marker", *nvtx, HERE / "launching.c", "-o", program,
                    "-ldl", "-lpthread"], check=True)
    return program


def plumbline(*words, gpus_here=True, **environment):
    surroundings = {**os.environ, **environment}
    if gpus_here:
        surroundings |= {"PLUMBLINE_CUPTI_PATH": STAND_IN, "LD_LIBRARY_PATH": STAND_IN}
    return subprocess.run([os.environ["PLUMBLINE"], *map(str, words)], capture_output=True, text=True, timeout=120, env=surroundings)


@pytest.fixture
def profile(tmp_path, launching):
    def of_words(*words, options=(), code=0, **environment):
        out = tmp_path / "profile.json"
        ended = plumbline("profile", "--gpu", "-o", out, *options, "--", launching, *words, **environment)
        assert ended.returncode == code, ended.stderr
        return json.loads(out.read_text()), ended

    return of_words


def rows(document, kind):
    return [row for row in document["rows"] if row["kind"] == kind]


def by_name(document, kind="kernel"):
    return {row["name"]: row for row in rows(document, kind)}


def only(document, kind):
    (row,) = rows(document, kind)
    return row


def processes(document, run="counted"):
    return [row for row in rows(document, "process") if row["run"] == run]


def process(document, run="counted"):
    (row,) = processes(document, run)
    return row


def notes(document):
    return " ".join(document["notes"])
