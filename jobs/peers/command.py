"""The command lines of sessions (peers.sh, emulator_speed.sh) share this: a type of words, progress, and how they end."""

import argparse
import sys

from programs import ProgramFailed
from report import as_json

FAILED, INTERRUPTED = 1, 130


def positive(word):
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def say(words):
    """Progress: one line that is written over on a terminal, lines in a log."""
    print(f"\r\033[K{words}" if sys.stderr.isatty() else words, end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def busy_note(load):
    """A list of one note, or of none."""
    return [f"the machine was busy when the session began: load average {load:.1f}"] if load > 0.5 else []


def end(name, session, file, text):
    """Keeps the document that `session` makes in `file`, where there is one, and prints it by `text`; gives the exit code."""
    try:
        found = session()
        if file:
            file.write_text(as_json(found))
    except (ProgramFailed, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted", file=sys.stderr)
        return INTERRUPTED
    print(text(found))
    return 0
