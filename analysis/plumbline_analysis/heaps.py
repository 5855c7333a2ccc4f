"""Whether the texts of an HDF5 file can be read at all: a look that the HDF5 library does not take, before it opens the file.

The library (1.10) believes the sizes that a file tells of its texts: a damaged one crashes it or keeps it for ever, and a text longer than what
refers to it tells is written beyond its buffer. (HDF5 File Format Specification 3.0: II.A, "Superblock"; III.E, "Global Heap".) The C++ side
has the same look in harness/store/sound_heaps.cpp.
"""
import struct

HDF5 = b"\x89HDF\r\n\x1a\n"
SIGNATURE = b"GCOL\x01"  # and version; what follows is reserved, and not looked at by the library
HEADER = 16  # bytes; of a heap: signature, size; of an object: index, references, reserved, size
MOST_LONG_TEXTS = 64  # a result has four; each is looked for in the whole file
BUFFER = 4096  # bytes; the library makes room for whole multiples of it


def require_sound_heaps(data):
    """Raises ValueError where a heap in this image of an HDF5 file cannot be read."""
    if not data.startswith(HDF5):
        raise ValueError("it does not begin as an HDF5 file")
    _require_plain_superblock(data)
    at, end, long_texts = data.find(SIGNATURE), 0, 0
    while at >= 0:
        if at < end:
            raise ValueError("a heap of texts lies within another")
        size = _number("<Q", data, at + 8)
        if not HEADER <= size <= len(data) - at:
            raise ValueError("a heap of texts is larger than the file")
        for index, length in _objects(data, at + HEADER, at + size):
            if length > BUFFER:
                long_texts += 1
                if long_texts > MOST_LONG_TEXTS:
                    raise ValueError("it has more long texts than a result has")
                _require_room(data, at, index, length)
        end = at + size
        at = data.find(SIGNATURE, at + 1)


def _objects(data, at, end):
    """(index, bytes) of each text in a heap."""
    while end - at >= HEADER:
        index, told = _number("<H", data, at), _number("<Q", data, at + 8)
        if index == 0 and told < HEADER:
            raise ValueError("a heap of texts has free space of no size")
        size = told - HEADER if index == 0 else told  # free space counts its own header
        if size > end - at - HEADER:
            raise ValueError("a text in it is longer than the place where it lies")
        if index:
            yield index, size
        at += told if index == 0 else HEADER + (size + 7) // 8 * 8  # as the library steps


def _require_room(data, heap, index, size):
    """What refers to a text tells its length, the heap's address and its index there."""
    address = struct.pack("<Q", heap)
    at = data.find(address, 4)
    while at >= 0:
        if len(data) - at >= 12 and _number("<I", data, at + 8) == index and size > (_number("<I", data, at - 4) // BUFFER + 1) * BUFFER:
            raise ValueError("a text in it is longer than what refers to it tells")
        at = data.find(address, at + 1)


def _require_plain_superblock(data):
    if len(data) < 64:
        raise ValueError("it ends within its first block")
    version = data[8]
    sizes, base = (13 if version < 2 else 9), {0: 24, 1: 28}.get(version, 12)
    if data[sizes] != 8 or data[sizes + 1] != 8 or _number("<Q", data, base) != 0:
        raise ValueError("its addresses or lengths have not 8 bytes, or do not begin where it does")


def _number(kind, data, at):
    if len(data) - at < struct.calcsize(kind):
        raise ValueError("it ends within a heap")
    return struct.unpack_from(kind, data, at)[0]
