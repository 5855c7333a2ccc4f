"""An installation by "cmake --install" works wherever it is moved, with nothing left of the sources and the build."""

import json
import os
import subprocess

import pytest
from conftest import BUILD, SOURCE

# The quick campaign, in small: both passes on one rank and on two.
CAMPAIGN = """
schema = "plumbline-campaign/1"
counters = "auto"
[timing]
min_seconds = 0.002
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = "gcc-O3-v3"
team = [{ ranks = 1, threads = 1 }, { ranks = 2, threads = 1 }]
params = { n = [1000, 20000] }
"""
EMULATOR = bool(os.environ.get("PLUMBLINE_EMULATOR"))
MPIEXEC = os.environ.get("PLUMBLINE_MPIEXEC")


def test_the_sources_and_the_build_are_out_of_sight(installation, tmp_path):
    if not installation.hidden:
        pytest.skip("folders cannot be hidden here (that takes root): the other tests run with the sources in sight")
    script = f"test -d '{SOURCE}' && test -z \"$(ls -A '{SOURCE}')\" && test ! -e '{BUILD}/bin/plumbline'"
    installation.run("sh", "-c", script, folder=tmp_path)


def test_no_installed_file_names_the_sources_or_the_build(installation):
    if len(SOURCE.parts) < 3:
        pytest.skip(f"{SOURCE} is too short a path to be told from others")
    for folder in {str(SOURCE), str(BUILD)}:
        found = subprocess.run(["grep", "-rlF", folder, installation.prefix], capture_output=True, text=True, timeout=60)
        assert found.returncode == 1, f"{folder} is named in {found.stdout or found.stderr}"


def test_all_parts_are_there(installation):
    for part in (
        "bin/plumbline",
        "include/plumbline/plumbline.h",
        "include/plumbline/likwid/likwid-marker.h",
        "include/plumbline/core/kernel.hpp",
        "lib/cmake/plumbline/plumblineConfig.cmake",
        "share/man/man1/plumbline.1",
        "share/bash-completion/completions/plumbline",
        "share/plumbline/analysis/plumbline_analysis/__init__.py",
        "share/plumbline/harness/counters/events/amd-zen4.toml",
        "share/plumbline/harness/profile/geometries/amd-interlagos.toml",
        "share/plumbline/jobs/campaigns/quick.toml",
        "share/plumbline/jobs/expectations/yang2019.toml",
        "share/plumbline/jobs/slurm/node.sbatch",
        "share/plumbline/jobs/slurm/machine.toml",
        "share/plumbline/jobs/slurm/README.md",
        "share/plumbline/jobs/packaging/reframe/plumbline_check.py",
        "share/plumbline/jobs/packaging/modulefiles/plumbline",
        "share/plumbline/jobs/packaging/spack/packages/plumbline/package.py",
        "share/plumbline/jobs/packaging/apptainer/plumbline.def",
    ):
        assert (installation.prefix / part).is_file(), part


def test_it_lists_its_own_campaigns_tables_and_geometries(installation, tmp_path):
    rows = json.loads(installation.run("plumbline", "list", "campaigns", "--json", folder=tmp_path))["rows"]
    quick = next(row for row in rows if row["campaign"] == "quick")
    assert quick["file"] == str(installation.share / "jobs/campaigns/quick.toml")
    installation.run("plumbline", "run", quick["file"], "--dry-run", folder=tmp_path)
    assert "l1_fills" in installation.run("plumbline", "list", "counters", "--family", "amd-zen4", folder=tmp_path)
    machine = installation.share / "jobs/slurm/machine.toml"
    installation.run("plumbline", "slurm", quick["file"], "--machine", machine, "--minutes", "30", "-o", "scripts", folder=tmp_path)
    assert 'plumbline=${PLUMBLINE:-"plumbline"}' in (tmp_path / "scripts/node.sbatch").read_text()
    example = (installation.share / "jobs/slurm/node.sbatch").read_text()
    assert "build/bin" not in example and 'campaign=${PLUMBLINE_CAMPAIGN:-"quick"}' in example
    assert 'campaign=${PLUMBLINE_CAMPAIGN:-"gpu_ceilings"}' in (installation.share / "jobs/slurm/gpu.sbatch").read_text()


def test_a_campaign_of_its_own_is_found_by_name_and_a_file_of_that_name_wins(installation, tmp_path):
    for row in json.loads(installation.run("plumbline", "list", "campaigns", "--json", folder=tmp_path))["rows"]:
        installation.run("plumbline", "run", row["campaign"], "--dry-run", folder=tmp_path)
    for name in ("quick", "quick.toml"):
        installation.run("plumbline", "slurm", name, "--minutes", "30", "--kind", "node", "-o", name + "-scripts", folder=tmp_path)
    (tmp_path / "quick").write_text("nonsense = 1\n")
    installation.run("plumbline", "run", "quick", "--dry-run", folder=tmp_path, code=2)
    installation.run("plumbline", "run", "no-such-campaign", "--dry-run", folder=tmp_path, code=2)


def test_it_measures_counts_judges_and_draws(installation, tmp_path):
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    launcher = [MPIEXEC, "-n", "2"] if MPIEXEC else []
    if not MPIEXEC:
        (tmp_path / "small.toml").write_text(CAMPAIGN.replace(", { ranks = 2, threads = 1 }", ""))
    installation.run(*launcher, "plumbline", "run", "small.toml", "-o", "small.h5", folder=tmp_path)
    doctor = installation.run("plumbline", "doctor", folder=tmp_path)
    score = json.loads(installation.run("plumbline", "score", "small.h5", "--json", folder=tmp_path))
    installation.run("plumbline", "report", "small.h5", folder=tmp_path)
    assert list(tmp_path.glob("*.png")) and list(tmp_path.glob("*.html"))
    if not EMULATOR:
        pytest.skip("no emulator in this build: nothing could be counted; measuring and drawing worked")
    assert str(installation.prefix / "lib/plumbline/valgrind") in installation.run("plumbline", "--version", folder=tmp_path)
    assert "emulated" in doctor
    flops = next(one for one in score["counters"] if one["counter"] == "emulated.flops.fp64")
    assert flops["bias"] == 1 and flops["n"] >= 2
    words = ["plumbline", "profile", "--count-only", "--caches=amd-interlagos", "-o", "true.json", "--", "true"]
    installation.run(*words, folder=tmp_path)
    assert json.loads((tmp_path / "true.json").read_text())
