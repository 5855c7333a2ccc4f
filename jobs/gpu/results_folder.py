"""The folder of results of run_parts.py, or an archive that keeps one: machines that are lent for minutes often give back a few files alone."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import tarfile
import tempfile

KINDS = {".tar.xz": "xz", ".tar.gz": "gz", ".tgz": "gz"}  # of archives, by how their names end


class BadArchive(Exception):
    """An archive of results cannot be used; the text names it and says why."""


class ResultsFolder:
    """Results are in the folder `path` while the object is entered.

    `name` is what the user knows, an absolute path: that folder's, or an archive's. Of an archive the folder is a temporary one, made of what
    the archive has; keep() packs it. Where it cannot be packed the folder stays, and the error says where. Errors: OSError, BadArchive.
    """

    def __init__(self, name: str):
        self.name = os.path.abspath(name)
        self._kind = next((kind for end, kind in KINDS.items() if name.endswith(end)), None)
        if self._kind:
            os.makedirs(os.path.dirname(self.name), exist_ok=True)
            self.path = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-gpu-"))
        else:
            self.path = pathlib.Path(self.name)
            self.path.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> ResultsFolder:
        try:
            if self._kind and os.path.exists(self.name):
                self._unpack()
            self._pack()  # what cannot be packed is told before anything is measured
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.keep()
        self._remove()

    def keep(self) -> None:
        """Packs the folder into its archive, which has the former results or these, whenever this program ends. Nothing is packed of a folder."""
        try:
            self._pack()
        except OSError as refused:
            raise OSError(refused.errno, f"{refused.strerror or refused}; what there is so far is in {self.path}", self.name) from refused

    def _pack(self) -> None:
        if not self._kind:
            return
        fresh = f"{self.name}.new"
        try:
            with tarfile.open(fresh, f"w:{self._kind}") as archive:
                archive.add(self.path, arcname=".")
            os.replace(fresh, self.name)
        except tarfile.CompressionError as lacking:
            raise BadArchive(f"{self.name}: {lacking}: this python3 cannot write such an archive; name a .tar.gz") from lacking
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(fresh)  # a part of it takes the room that parts need
            raise

    def _unpack(self) -> None:
        how = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # of Python 3.9.17, 3.10.12, 3.11.4, 3.12 and later
        try:
            with tarfile.open(self.name, f"r:{self._kind}") as archive:
                archive.extractall(self.path, **how)
        except OSError:
            raise
        except Exception as wrong:  # tarfile's, lzma's or zlib's: each has its own
            raise BadArchive(f"{self.name}: it is no archive of results ({wrong}); name another one, or remove it") from wrong

    def _remove(self) -> None:
        if self._kind:
            shutil.rmtree(self.path, ignore_errors=True)
