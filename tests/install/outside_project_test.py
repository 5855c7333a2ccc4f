"""A project of somebody else finds the moved installation, adds a kernel and a counter of its own, and measures with them."""

import json
import os
import pathlib
import shutil

import pytest

PROJECT = pathlib.Path(__file__).resolve().parent / "outside_project"
CMAKE = ["cmake", "-DCMAKE_BUILD_TYPE=Release", f"-DPLUMBLINE_FLAVOR_COMPILERS={os.environ.get('CXX', 'g++')}"]


@pytest.fixture(scope="module")
def project(installation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("outside") / "project"
    shutil.copytree(PROJECT, folder)
    installation.run(*CMAKE, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={installation.prefix}", folder=folder)
    installation.run("cmake", "--build", "build", folder=folder, timeout=240)
    return folder


def test_the_library_alone_knows_the_kernels_work(installation, project):
    assert installation.run("build/site-work", folder=project) == "site/xpay: 131072 FLOPs a sweep\n"


def test_its_program_has_both_kernels_and_its_own_counter_exact(installation, project):
    if not os.environ.get("PLUMBLINE_EMULATOR") or not os.environ.get("PLUMBLINE_PAPI"):
        pytest.skip("the site's counter is made of PAPI's software-defined events of the emulator, and one of them is not built")
    tables = {"PLUMBLINE_EVENTS_PATH": str(project / "site_events.toml")}
    program = "build/bin/site-plumbline"
    installation.run(program, "run", "site.toml", "-o", "site.h5", folder=project)
    score = json.loads(installation.run(program, "score", "site.h5", "--json", folder=project, **tables))
    judged = {one["counter"]: one for one in score["counters"]}
    for counter in ("emulated.flops.fp64", "site_flops"):
        assert judged[counter]["bias"] == 1 and judged[counter]["n"] >= 2, judged[counter]
    assert judged["site_flops"]["coverage"]["tried"]["kernel"] == ["site/xpay", "validation/triad"]
    without = json.loads(installation.run(program, "score", "site.h5", "--json", folder=project))
    assert "site_flops" not in {one["counter"] for one in without["counters"]}, "only the site's table makes it a counter"


def test_another_version_is_refused(installation, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES CXX)\nfind_package(plumbline 9.0 QUIET)\n"
        'if(plumbline_FOUND)\n  message(FATAL_ERROR "taken for 9.0")\nendif()\n'
    )
    installation.run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={installation.prefix}", folder=tmp_path)
