"""A program that hangs costs its own time alone: run() ends it, and all that it started, after so many seconds."""

import os
import signal
import subprocess
import sys

LEAST = 3  # seconds, however much a rehearsal hurries
GRACE = 5  # seconds, for what is asked to end


def limit(seconds):
    """The seconds that something may take; fewer in a rehearsal, which run_parts.py --hurry divides all limits for."""
    return max(LEAST, seconds // int(os.environ.get("HURRY", "1")))


def end(group):
    """Ends the processes of a group: asks them, and kills those that hang."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group.pid, how)
            group.wait(timeout=GRACE)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def run(command, seconds):
    """Runs a command and gives what it printed, and its exit code, 124 where it was ended; it is ended with this program, too."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, err = process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(command, process.returncode, out, err)
    except subprocess.TimeoutExpired:
        end(process)
        return subprocess.CompletedProcess(command, 124, "", f"not done after {seconds} s")
    finally:
        if process.poll() is None:
            end(process)
        signal.signal(signal.SIGTERM, before)
