"""Disassembles the module for GPUs as its build does: `disassemble.py MODULE FOLDER TOOLS` writes FOLDER/libplumbline_cuda.ARCHITECTURE.sass.

cuobjdump and nvdisasm are those on PATH or in the CUDA toolkit, else PyPI's in a virtual environment at TOOLS, kept there. Where they cannot
be had: exit 77, and why.
"""

import os
import pathlib
import shutil
import subprocess
import sys

VERSION = "13.2.51"  # reads what CUDA 13.0 compiles
WHEELS = [f"nvidia-cuda-cuobjdump=={VERSION}", f"nvidia-cuda-nvdisasm=={VERSION}"]


def run(*words, **more):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=350, **more)
    except (OSError, subprocess.TimeoutExpired) as failed:
        return subprocess.CompletedProcess(words, 1, "", str(failed))


def tools(place):
    """The folder of both, and why there is none."""
    places = [place, *os.environ["PATH"].split(":"), "/usr/local/cuda/bin"]
    for _ in range(2):
        for folder in [*places, *place.glob("lib/python3*/site-packages/nvidia/cu13/bin")]:
            found = [shutil.which(name, path=str(folder)) for name in ("cuobjdump", "nvdisasm")]
            if all(found):
                return found, ""
        for words in ((sys.executable, "-m", "venv", place), (place / "bin/pip", "-q", "install", "--timeout", "20", *WHEELS)):
            done = run(*words)
            if done.returncode != 0:
                shutil.rmtree(place, ignore_errors=True)
                return None, ((done.stderr or done.stdout).strip() or "no reason given").splitlines()[-1]
    return None, f"they are not in {' and '.join(WHEELS)}"


def main():
    module, folder, place = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    found, why = tools(place)
    if found is None:
        print(f"no cuobjdump and nvdisasm on PATH, and they cannot be installed from PyPI: {why}")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script = pathlib.Path(__file__).resolve().parents[2] / "harness/cmake/disassemble.cmake"
    done = run("cmake", f"-DMODULE={module}", f"-DFOLDER={folder}", f"-DCUOBJDUMP={found[0]}", f"-DNVDISASM={found[1]}", "-P", script)
    print(done.stdout + done.stderr, end="")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
