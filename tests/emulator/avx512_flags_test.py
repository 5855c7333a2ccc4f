# SPDX-License-Identifier: BSD-3-Clause
"""CMake warns of flags that let the whole program use AVX-512: Valgrind knows none of it. Tried in a project of a few lines."""

import os
import pathlib
import subprocess

import pytest

MODULE = pathlib.Path(os.environ["PLUMBLINE_EMULATOR_DIR"]) / "warn_of_avx512.cmake"


def configured(folder, *options):
    """The output of CMake as one line: it breaks lines where it likes."""
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.22)\nproject(flags LANGUAGES CXX)\ninclude({MODULE})\nplumbline_warn_of_avx512()\n")
    done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("option", ["-DCMAKE_CXX_FLAGS=-march=x86-64-v4", "-DCMAKE_CXX_FLAGS=-mavx512f", "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -march=skylake-avx512"])
def test_flags_that_allow_it_are_told_with_what_to_try(tmp_path, option):
    said = configured(tmp_path, "-DCMAKE_BUILD_TYPE=Release", option)
    assert said.count("CMake Warning") == 1
    assert option.split("=", 1)[1] in said and "SIGILL" in said
    assert "-DCMAKE_CXX_FLAGS=-march=x86-64-v3" in said and "-DPLUMBLINE_WITH_EMULATOR=OFF" in said


@pytest.mark.parametrize("flags", ["", "-march=x86-64-v3", "-march=x86-64-v4 -mno-avx512f"])
def test_other_flags_are_silent(tmp_path, flags):
    assert configured(tmp_path, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={flags}") == ""


def test_flags_of_a_type_that_is_not_built_are_not_meant(tmp_path):
    assert configured(tmp_path, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_DEBUG=-march=x86-64-v4") == ""


def test_what_earlier_flags_gave_is_forgotten(tmp_path):
    assert configured(tmp_path, "-DCMAKE_CXX_FLAGS=") == ""
    assert "AVX-512" in configured(tmp_path, "-DCMAKE_CXX_FLAGS=-march=x86-64-v4")
    assert configured(tmp_path, "-DCMAKE_CXX_FLAGS=-march=x86-64-v3") == ""
