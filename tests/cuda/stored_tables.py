"""The tables of a result file."""

import h5py


def table(store, name):
    """The rows of a table: column to value, None where a number is absent."""

    def text(value):
        if isinstance(value, bytes):
            return value.decode().rstrip("\0")
        return None if value != value else value

    with h5py.File(store) as file:
        rows = file[name][:]
        return [{key: text(row[key]) for key in rows.dtype.names} for row in rows]
