"""The modulefile, loaded and unloaded by the Environment Modules of Debian."""

import pathlib
import shutil

import pytest
from conftest import SOURCE

LOADERS = ("/usr/share/modules/init/bash", "/etc/profile.d/modules.sh")


def test_a_module_brings_program_manual_and_package_and_takes_them_back(installation, tmp_path):
    loader = next((path for path in LOADERS if pathlib.Path(path).exists()), None)
    if not loader:
        pytest.skip("environment-modules is not installed")
    (tmp_path / "plumbline").mkdir()
    shutil.copy(SOURCE / "jobs/packaging/modulefiles/plumbline", tmp_path / "plumbline/0.1")
    script = f"""
      source {loader} && PATH=/usr/bin:/bin && export MODULEPATH={tmp_path}
      module load plumbline/0.1 || exit 1
      command -v plumbline && plumbline list kernels >/dev/null && echo "$MANPATH" && echo "$CMAKE_PREFIX_PATH" && module unload plumbline
      command -v plumbline || echo gone
      PLUMBLINE_PREFIX=/nowhere/plumbline module load plumbline/0.1 2>&1 && echo loaded
      command -v plumbline || echo not there
    """
    said = installation.run("bash", "-c", script, folder=tmp_path, PLUMBLINE_PREFIX=str(installation.prefix)).splitlines()
    prefix = str(installation.prefix)
    assert said[0] == f"{prefix}/bin/plumbline" and said[2].startswith(prefix) and said[3] == "gone", said
    assert "no folder /nowhere/plumbline" in " ".join(said[4:]) and said[-1] == "not there" and "loaded" not in said, said
    assert said[1].split(":")[0] == f"{prefix}/share/man"
