"""PlumblineCuda.cmake finds toolkits, and chooses the GPUs that code is compiled for: made-up ones. Nothing of CUDA is needed."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

MODULES = pathlib.Path(__file__).parents[2] / "harness/cmake"
PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(x NONE)
list(APPEND CMAKE_MODULE_PATH {MODULES})
include(PlumblineCuda)
include(PlumblineCudaArchitectures)
plumbline_cuda_architectures(architectures why_none)
message(STATUS "architectures=${{architectures}},${{why_none}}")
plumbline_machine_code(code ${{architectures}})
plumbline_machine_code(code_of_each EACH ${{architectures}})
message(STATUS "code=${{code}}. each=${{code_of_each}}.")
message(STATUS "toolkit=${{PLUMBLINE_CUDA_FOUND}},${{PLUMBLINE_CUDA_VERSION}},${{PLUMBLINE_CUDA_NVCC}},${{PLUMBLINE_CUDA_LIBRARY_DIR}}")
plumbline_cuda12_architectures(architectures12 ${{architectures}})
message(STATUS "cuda12=${{PLUMBLINE_CUDA12_FOUND}},${{PLUMBLINE_CUDA12_VERSION}},${{PLUMBLINE_CUDA12_NVCC}},${{architectures12}}.")
message(STATUS "cupti=${{PLUMBLINE_CUPTI_FOUND}},${{PLUMBLINE_CUPTI_VERSION}},${{PLUMBLINE_CUPTI_INCLUDE_DIR}},${{PLUMBLINE_CUPTI_LIBRARY_DIR}}")
"""


def put(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def toolkit(root, version="13.1.5", lib="lib64"):
    put(root / "bin/nvcc", f"#!/bin/sh\necho 'Cuda compilation tools, release {version[:4]}, V{version}'\n").chmod(0o755)
    put(root / "include/cuda_runtime.h")
    put(root / lib / "libcudart_static.a")
    return root


def cupti(root, number=130102, include="include", lib="lib64", major=13):
    put(root / include / "cupti_version.h", f"#define CUPTI_API_VERSION {number}\n")
    put(root / include / "cupti_profiler_host.h")
    put(root / lib / f"libcupti.so.{major}")
    put(root / lib / "libnvperf_host.so")
    return root


def configure(tmp_path, *options, fails=False, usual="/nowhere", **environment):
    put(tmp_path / "project/CMakeLists.txt", PROJECT)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CUDA") and name != "VIRTUAL_ENV"}
    tools = tmp_path / "tools"  # all of PATH: no nvcc of this machine
    tools.mkdir(exist_ok=True)
    if not (tools / "ninja").exists():
        (tools / "ninja").symlink_to(shutil.which("ninja"))
    ended = subprocess.run(
        [shutil.which("cmake"), "-G", "Ninja", "-S", tmp_path / "project", "-B", tmp_path / "build", f"-Dplumbline_usual_cuda_root={usual}",
         f"-Dplumbline_own_wheels={tmp_path / 'own'}", *options],
        capture_output=True, text=True, timeout=60, env={**clean, "PATH": str(tools), **environment})
    assert (ended.returncode != 0) == fails, ended.stderr
    return " ".join((ended.stdout + ended.stderr).split())


def test_nothing_to_find_is_left_out_with_the_places(tmp_path):
    said = configure(tmp_path)
    assert "-- CUDA: left out: not found" in said and "-- CUPTI: left out: not found" in said and "CUDAToolkit_ROOT" in said


def test_nothing_to_find_ends_the_configuration_where_it_is_required(tmp_path):
    assert "PLUMBLINE_WITH_CUDA=ON, but of CUDA: not found" in configure(tmp_path, "-DPLUMBLINE_WITH_CUDA=ON", fails=True)


def test_a_toolkit_is_found_by_each_of_its_names(tmp_path):
    root = cupti(toolkit(tmp_path / "cuda"))
    expected = f"toolkit=ON,13.1.5,{root}/bin/nvcc,{root}/lib64", f"cupti=ON,13.1,{root}/include,{root}/lib64"
    on_path = {"PATH": f"{root}/bin:{tmp_path}/tools"}
    for options, words in (([f"-DCUDAToolkit_ROOT={root}"], {}), ([], {"CUDA_HOME": str(root)}), ([], {"usual": root}), ([], on_path)):
        shutil.rmtree(tmp_path / "build", ignore_errors=True)
        said = configure(tmp_path, *options, **words)
        assert expected[0] in said and expected[1] in said
    assert "toolkit=ON" in configure(tmp_path, f"-DCUDAToolkit_ROOT={root}", "-DPLUMBLINE_WITH_CUDA=ON")


def test_a_toolkit_that_went_away_is_left_out_again(tmp_path):
    root = cupti(toolkit(tmp_path / "cuda"))
    assert "toolkit=ON" in configure(tmp_path, CUDA_HOME=str(root))
    shutil.rmtree(root)
    said = configure(tmp_path, CUDA_HOME=str(root))
    assert "toolkit=OFF" in said and "cupti=OFF" in said


def test_off_leaves_a_toolkit_alone(tmp_path):
    root = cupti(toolkit(tmp_path / "cuda"))
    said = configure(tmp_path, f"-DCUDAToolkit_ROOT={root}", "-DPLUMBLINE_WITH_CUDA=OFF")
    assert "toolkit=OFF" in said and "cupti=OFF" in said and "left out: PLUMBLINE_WITH_CUDA=OFF" in said


def test_a_build_with_a_sanitizer_leaves_cupti_out_and_says_why(tmp_path):
    root = cupti(toolkit(tmp_path / "cuda"))
    said = configure(tmp_path, f"-DCUDAToolkit_ROOT={root}", "-DPLUMBLINE_SANITIZE=address,undefined")
    assert "toolkit=ON" in said and "cupti=OFF" in said and "RTLD_DEEPBIND" in said


def test_cupti_in_the_extras_folder_of_a_toolkit_is_found(tmp_path):
    root = cupti(toolkit(tmp_path / "cuda"), include="extras/CUPTI/include", lib="extras/CUPTI/lib64")
    assert f"cupti=ON,13.1,{root}/extras/CUPTI/include,{root}/extras/CUPTI/lib64" in configure(tmp_path, CUDA_HOME=str(root))


def test_the_wheels_of_a_virtual_environment_are_found(tmp_path):
    nvidia = tmp_path / "venv/lib/python3.11/site-packages/nvidia"
    root = cupti(toolkit(nvidia / "cu13", lib="lib"), lib="lib")
    said = configure(tmp_path, VIRTUAL_ENV=str(tmp_path / "venv"))
    assert f"toolkit=ON,13.1.5,{root}/bin/nvcc,{root}/lib" in said and f"cupti=ON,13.1,{root}/include,{root}/lib" in said


def test_the_wheels_of_this_checkout_come_last(tmp_path):
    own = toolkit(tmp_path / "own/lib/python3.11/site-packages/nvidia/cu13", lib="lib")
    assert f"toolkit=ON,13.1.5,{own}/bin/nvcc" in configure(tmp_path)
    other = toolkit(tmp_path / "cuda")
    shutil.rmtree(tmp_path / "build")
    assert f"toolkit=ON,13.1.5,{other}/bin/nvcc" in configure(tmp_path, usual=other)


def test_a_wheel_of_cupti_alone_is_cupti_without_a_compiler(tmp_path):
    root = cupti(tmp_path / "venv/lib/python3.11/site-packages/nvidia/cuda_cupti", lib="lib")
    said = configure(tmp_path, VIRTUAL_ENV=str(tmp_path / "venv"))
    assert "toolkit=OFF" in said and f"cupti=ON,13.1,{root}/include,{root}/lib" in said


def test_an_old_toolkit_is_left_out_and_a_newer_one_behind_it_is_taken(tmp_path):
    old = cupti(toolkit(tmp_path / "old", version="12.4.131"), number=22, major=12)
    said = configure(tmp_path, CUDA_HOME=str(old))
    assert "is version 12.4.131, and 13 or later is needed" in said and "of a CUDA before 13" in said
    new = cupti(toolkit(tmp_path / "new"))
    assert f"toolkit=ON,13.1.5,{new}/bin/nvcc" in configure(tmp_path, CUDA_HOME=str(old), usual=new)


@pytest.mark.parametrize("file, words", [("include/cuda_runtime.h", "but not cuda_runtime.h"), ("lib64/libcudart_static.a", "but not libcudart_static.a"),
                                         ("lib64/libcupti.so.13", "but not libcupti.so.13"), ("lib64/libnvperf_host.so", "but not libnvperf_host.so"),
                                         ("include/cupti_profiler_host.h", "lacks cupti_profiler_host.h")])
def test_a_toolkit_that_lacks_a_part_is_left_out_with_the_part(tmp_path, file, words):
    root = cupti(toolkit(tmp_path / "cuda"))
    (root / file).unlink()
    assert words in configure(tmp_path, CUDA_HOME=str(root))


def gpus(tmp_path, said):
    put(tmp_path / "tools/nvidia-smi", f"#!/bin/sh\nprintf '{said}'\n").chmod(0o755)


def test_code_is_compiled_for_every_known_gpu_or_for_what_is_asked_for(tmp_path):
    assert "architectures=75;80;90a;100;120," in configure(tmp_path, "-DPLUMBLINE_CUDA_ARCHITECTURES=all")
    assert "architectures=80;90," in configure(tmp_path, "-DPLUMBLINE_CUDA_ARCHITECTURES=80;90")


def test_ptx_is_made_once_for_a_family_of_gpus_or_for_each(tmp_path):
    said = configure(tmp_path, "-DPLUMBLINE_WITH_CUDA=AUTO", "-DPLUMBLINE_CUDA_ARCHITECTURES=75;80;90a;100;120")
    assert ("code=-gencode;arch=compute_75,code=[sm_75];-gencode;arch=compute_80,code=[sm_80,sm_90a];"
            "-gencode;arch=compute_100,code=[sm_100,sm_120]. each=-gencode;arch=compute_75,code=[sm_75];"
            "-gencode;arch=compute_80,code=[sm_80];-gencode;arch=compute_90a,code=[sm_90a];-gencode;arch=compute_100,code=[sm_100];"
            "-gencode;arch=compute_120,code=[sm_120].") in said
    assert "code=-gencode;arch=compute_90a,code=[sm_90a]. each=" in configure(tmp_path, "-DPLUMBLINE_CUDA_ARCHITECTURES=90a")


def test_code_that_asks_for_more_than_a_family_is_compiled_for_each_architecture():
    begins = re.search(r"set\(plumbline_families_begin ([\d ]+)\)", (MODULES / "PlumblineCudaArchitectures.cmake").read_text()).group(1).split()
    root = MODULES.parents[1]
    files = [path for folder in ("harness", "ert", "validation", "proxies") for path in (root / folder).rglob("*.cu*") if path.suffix in (".cu", ".cuh")]
    assert len(files) > 30
    for path in files:
        asked = re.findall(r"__CUDA_ARCH__ *[<>=]+ *(\d+)", path.read_text())
        if any(number.removesuffix("0") not in begins for number in asked):
            listed = (path.parent / "CMakeLists.txt").read_text().partition("EACH_ARCHITECTURE")[2].partition("BY_CUBLAS")[0]
            assert path.name in listed, f"{path} asks for architectures {asked}, and families begin at {begins}: list it after EACH_ARCHITECTURE"


@pytest.mark.parametrize("said, expected", [("9.0\\n9.0\\n", "90a"), ("8.9\\n7.5\\n", "80;75"), ("12.1\\n", "120"), ("7.0\\n", "70")])
def test_native_code_is_that_of_the_gpus_here(tmp_path, said, expected):
    gpus(tmp_path, said)
    assert f"architectures={expected}," in configure(tmp_path, "-DPLUMBLINE_CUDA_ARCHITECTURES=native")


def test_without_a_gpu_native_is_nothing_and_the_reason_says_what_to_ask_for(tmp_path):
    native = "-DPLUMBLINE_CUDA_ARCHITECTURES=native"
    assert "architectures=,no nvidia-smi here" in configure(tmp_path, native)
    gpus(tmp_path, "NVIDIA-SMI has failed: 12.2\\n")
    said = configure(tmp_path, native)
    assert "architectures=,nvidia-smi names no GPU" in said and "-DPLUMBLINE_CUDA_ARCHITECTURES=all" in said


def test_a_cuda_12_is_found_beside_a_newer_one_with_its_own_architectures(tmp_path):
    newer, older = toolkit(tmp_path / "cuda"), toolkit(tmp_path / "cuda-12.4", version="12.4.131")
    said = configure(tmp_path, f"-DCUDAToolkit_ROOT={newer}", "-DPLUMBLINE_CUDA_ARCHITECTURES=all", f"-DPLUMBLINE_CUDA12_ROOT={older}")
    assert "toolkit=ON,13.1.5" in said and f"cuda12=ON,12.4.131,{older}/bin/nvcc,70;75;80;90a." in said
    shutil.rmtree(tmp_path / "build")
    older = toolkit(tmp_path / "cuda-12.8", version="12.8.93")
    said = configure(tmp_path, "-DPLUMBLINE_CUDA_ARCHITECTURES=all", usual=tmp_path / "cuda")
    assert "cuda12=ON,12.4.131" in said, "the first of those beside the usual one"
    said = configure(tmp_path, "-DPLUMBLINE_CUDA_ARCHITECTURES=all", f"-DPLUMBLINE_CUDA12_ROOT={older}")
    assert f"cuda12=ON,12.8.93,{older}/bin/nvcc,70;75;80;90a;100;120." in said


def test_a_cuda_12_alone_is_enough_and_one_too_old_is_told(tmp_path):
    said = configure(tmp_path, CUDA_HOME=str(toolkit(tmp_path / "cuda", version="12.6.85")))
    assert "toolkit=OFF" in said and "cuda12=ON,12.6.85" in said
    said = configure(tmp_path, "-DPLUMBLINE_CUDA12=ON", fails=True, CUDA_HOME=str(toolkit(tmp_path / "old", version="12.2.140")))
    assert "12.4 or later is needed" in said and "PLUMBLINE_CUDA12_ROOT" in said
    assert "CUDA 12: left out: PLUMBLINE_CUDA12=OFF" in configure(tmp_path, "-DPLUMBLINE_CUDA12=OFF", CUDA_HOME=str(tmp_path / "cuda"))
