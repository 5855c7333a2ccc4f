"""Disassembles the module for GPUs: `disassemble.py MODULE FOLDER TOOLS` writes FOLDER/NAME.ARCHITECTURE.sass for each of its parts, by the
name of the source that it was compiled from (of two sources of one name, both in one).

cuobjdump and nvdisasm are those on PATH or in the CUDA toolkit, else PyPI's in a virtual environment at TOOLS, kept there. Where they cannot
be had: exit 77, and why.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "13.2.51"  # reads what CUDA 13.0 compiles
WHEELS = [f"nvidia-cuda-cuobjdump=={VERSION}", f"nvidia-cuda-nvdisasm=={VERSION}"]


def run(*words, **more):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=120, **more)
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


def source_of(text):
    """Its name without .cu, as the compiler writes it into the names of all that is in an unnamed namespace."""
    found = re.search(r"_GLOBAL__N__[0-9a-f]+_\d+_(\w+?)_cu_[0-9a-f]+", text)
    return found[1] if found else "unknown"


def main():
    module, folder, place = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    found, why = tools(place)
    if found is None:
        print(f"no cuobjdump and nvdisasm on PATH, and they cannot be installed from PyPI: {why}")
        return 77
    cuobjdump, nvdisasm = found
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, "PATH": f"{pathlib.Path(nvdisasm).parent}:{os.environ['PATH']}"}
    done = run(cuobjdump, "-xelf", "all", module, cwd=folder, env=environment)
    parts = sorted(folder.glob("*.cubin"))
    if done.returncode != 0 or not parts:
        print(f"{cuobjdump}: {done.stdout}{done.stderr}")
        return 1
    for part in parts:
        done = run(nvdisasm, "-c", part)
        if done.returncode != 0:
            print(f"{nvdisasm} {part.name}: {done.stderr}")
            return 1
        with open(folder / f"{source_of(done.stdout)}{pathlib.Path(part.stem).suffix}.sass", "a") as text:
            text.write(done.stdout)
        part.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
