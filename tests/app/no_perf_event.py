"""no_perf_event.py PROGRAM ARGUMENTS...: runs the program where the system call perf_event_open is refused, as containers' seccomp profiles do."""

import ctypes
import os
import struct
import sys

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
SET_NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2  # prctl
EPERM = 1


def instruction(code, if_true, if_false, operand):
    return struct.pack("HBBI", code, if_true, if_false, operand)


PROGRAM = (
    instruction(0x20, 0, 0, 0)  # load the system call's number
    + instruction(0x15, 0, 1, PERF_EVENT_OPEN)  # is it this one?
    + instruction(0x06, 0, 0, 0x00050000 | EPERM)  # return SECCOMP_RET_ERRNO
    + instruction(0x06, 0, 0, 0x7FFF0000)  # return SECCOMP_RET_ALLOW
)

instructions = ctypes.create_string_buffer(PROGRAM, len(PROGRAM))
described = ctypes.create_string_buffer(struct.pack("@HP", len(PROGRAM) // 8, ctypes.addressof(instructions)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or libc.prctl(SET_SECCOMP, FILTER, described, 0, 0) != 0:
    sys.exit(f"no_perf_event.py: seccomp filters cannot be set here: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[1], sys.argv[1:])
