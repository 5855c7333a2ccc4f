"""Packs a bundle as a wheel: `wheel.py BUNDLE VERSION GLIBC PACKAGE DIR`, e.g. `wheel.py plumbline-0.1.0-linux-x86_64 0.1.0 2_28 analysis/plumbline_analysis .`

pip lays the bundle's folders (bin, lib, share) into the environment's own, so that `plumbline` is on PATH where the environment is, and PACKAGE, which
draws, among its Python packages. The program itself needs none of that.
"""

import base64
import hashlib
import os
import pathlib
import sys
import zipfile

METADATA = """\
Metadata-Version: 2.1
Name: plumbline
Version: {version}
Summary: MPI-parallel characterization of supercomputer nodes with proven counters
License: BSD-3-Clause; the emulator in lib/plumbline/valgrind is GPL-2.0-or-later, and its sources lie beside it
Requires-Python: >=3.9
Requires-Dist: h5py
Requires-Dist: matplotlib>=3.6
Requires-Dist: numpy
Requires-Dist: pandas
Requires-Dist: plotly
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: jobs/bundle/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"


def files_of(root):
    """The files of the wheel with their paths in it; nothing that Python or an editor left there."""
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path, path.relative_to(root).as_posix()


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Wheel:
    """A zip file, and the record of what is in it. All files are of one time: the same bundle gives the same wheel."""

    def __init__(self, file, tag):
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.tag = tag
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(entry, data)
        self.record.append(f"{name},{digest(data)},{len(data)}")

    def close(self, folder):
        name = f"{folder}/RECORD"
        self.add(name, "\n".join([*self.record, f"{name},,", ""]).encode())
        self.zip.close()


def main(bundle, version, glibc, package, directory):
    tag = f"py3-none-manylinux_{glibc}_x86_64"
    file = pathlib.Path(directory) / f"plumbline-{version}-{tag}.whl"
    wheel = Wheel(file, tag)
    for path, name in files_of(pathlib.Path(bundle)):
        if "/" in name:  # README and LICENSE are for whoever unpacks the archive
            wheel.add(f"plumbline-{version}.data/data/{name}", path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
    for path, name in files_of(pathlib.Path(package)):
        wheel.add(f"plumbline_analysis/{name}", path.read_bytes())
    info = f"plumbline-{version}.dist-info"
    wheel.add(f"{info}/METADATA", METADATA.format(version=version).encode())
    wheel.add(f"{info}/WHEEL", WHEEL.format(tag=tag).encode())
    wheel.add(f"{info}/LICENSE", (pathlib.Path(bundle) / "LICENSE").read_bytes())
    wheel.close(info)
    print(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
