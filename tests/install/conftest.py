"""An installation that was moved, and commands that see neither the sources nor the build folder. PLUMBLINE_BUILD names the latter."""

import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD", SOURCE / "build-ci")).resolve()


def hiding():
    """Words before a command that put an empty folder over the sources and the build; none where that is not allowed."""
    folders = " && ".join(f"mount -t tmpfs none '{folder}'" for folder in (BUILD, SOURCE))
    words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{folders} && exec "$@"', "sh"]
    return words if shutil.which("unshare") and subprocess.run([*words, "true"], capture_output=True).returncode == 0 else []


class Installation:
    def __init__(self, folder):
        self.prefix = folder / "elsewhere"
        self.hidden = hiding()
        log = subprocess.run(["cmake", "--install", BUILD, "--prefix", folder / "first"], capture_output=True, text=True, timeout=120)
        assert log.returncode == 0, log.stdout[-2000:] + log.stderr
        (folder / "first").rename(self.prefix)
        self.share = self.prefix / "share/plumbline"

    def run(self, *words, folder, code=0, timeout=120, sources_in_sight=False, **environment):
        """A command with the installation's bin first on PATH. What this process sees of PLUMBLINE_... does not reach it."""
        cleared = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE")}
        cleared["PATH"] = f"{self.prefix}/bin:{cleared['PATH']}"
        done = subprocess.run(
            [*([] if sources_in_sight else self.hidden), *map(str, words)], cwd=folder, env=cleared | environment, capture_output=True, text=True, timeout=timeout
        )
        assert done.returncode == code, f"{words} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    return Installation(tmp_path_factory.mktemp("installation"))
