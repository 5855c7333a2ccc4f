"""Makes the foreign and future HDF5 files that load_store must refuse, and the rewritten ones that it must read.

Usage: foreign_hdf5.py SAMPLE FOLDER
"""
import pathlib
import shutil
import sys

import h5py
import numpy

sample, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def edited(name):
    shutil.copy(sample, folder / name)
    return h5py.File(folder / name, "r+")


with h5py.File(folder / "foreign.h5", "w") as file:
    file["temperature"] = numpy.arange(5.0)
with h5py.File(folder / "other_schema.h5", "w") as file:
    file.attrs["schema"] = "weather/1"
with h5py.File(folder / "number_schema.h5", "w") as file:
    file.attrs["schema"] = 1.0
with edited("newer.h5") as file:
    file.attrs["schema"] = "plumbline/2"
with edited("no_table.h5") as file:
    del file["counts"]
with edited("no_column.h5") as file:
    rows = file["times"][:]
    del file["times"]
    file["times"] = rows[[name for name in rows.dtype.names if name != "seconds"]]
with edited("plain_array.h5") as file:
    del file["times"]
    file["times"] = numpy.arange(5.0)
with edited("grid.h5") as file:
    rows = file["times"][:]
    del file["times"]
    file["times"] = rows.reshape(2, -1)
with edited("strange_status.h5") as file:
    rows = file["outcomes"][:]
    rows["status"] = b"great"
    file["outcomes"][...] = rows
with edited("text_for_number.h5") as file:
    rows = file["model"][:]
    types = [(name, "S8" if name == "lo" else rows.dtype[name]) for name in rows.dtype.names]
    del file["model"]
    file["model"] = numpy.zeros(len(rows), dtype=types)
# Leading elsewhere, and promising what is not there.
with edited("external_link.h5") as file:
    del file["times"]
    file["times"] = h5py.ExternalLink(sample, "/times")
with edited("soft_link.h5") as file:
    file.move("times", "elsewhere")
    file["times"] = h5py.SoftLink("/elsewhere")
with edited("external_rows.h5") as file:
    rows = file["times"][:]
    (folder / "rows.raw").write_bytes(rows.tobytes())
    del file["times"]
    file.create_dataset("times", shape=rows.shape, dtype=rows.dtype, external=[(str(folder / "rows.raw"), 0, rows.nbytes)])
with edited("virtual_rows.h5") as file:
    rows = file["times"][:]
    del file["times"]
    layout = h5py.VirtualLayout(shape=rows.shape, dtype=rows.dtype)
    layout[:] = h5py.VirtualSource(sample, "times", shape=rows.shape)
    file.create_virtual_dataset("times", layout)
with edited("many_rows.h5") as file:
    kind = file["times"].dtype
    del file["times"]
    file.create_dataset("times", shape=(2_000_000_000,), dtype=kind, chunks=(4096,), compression="gzip")
with edited("strange_filter.h5") as file:
    rows = file["times"][:]
    del file["times"]
    file.create_dataset("times", data=rows, compression="lzf")
with edited("lying_rows.h5") as file:  # as many as can be declared, in a layout that says it has bytes for all of them
    kind = file["times"].dtype
    del file["times"]
    space, made = h5py.h5s.create_simple((2_000_000_000,)), h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
    h5py.h5d.create(file.id, b"times", h5py.h5t.py_create(kind), space, dcpl=made)
# Readable: without the extension columns, with one of somebody's own, attributes as fixed text.
with edited("readable.h5") as file:
    rows = file["ceilings"][:]
    names = [name for name in rows.dtype.names if name not in ("working_set_bytes", "clock_hz")]
    wider = numpy.zeros(len(rows), dtype=[(name, rows.dtype[name]) for name in names] + [("mine", "f8")])
    for name in names:
        wider[name] = rows[name]
    del file["ceilings"]
    file["ceilings"] = wider
    file.attrs["schema"] = numpy.bytes_("plumbline/1")
