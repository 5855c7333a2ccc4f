"""Programs that measure: started, waited for, and their failure told in one line."""

import re
import subprocess


class ProgramFailed(Exception):
    """A program that measures failed: which, and what it said last."""


def output_of(command, seconds=300, environment=None):
    """Standard output of a program that must end well within `seconds`."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, env=environment, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise ProgramFailed(f"{' '.join(words)}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ProgramFailed(f"{' '.join(words)}: no result after {seconds} s") from error
    if done.returncode != 0:
        raise ProgramFailed(f"{' '.join(words)}: {ending(done.returncode)}: {last_words(done.stderr) or last_words(done.stdout) or 'no message'}")
    return done.stdout


def ending(code):
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def last_words(text):
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"[A-Za-z]{3}", line)]
    return lines[-1] if lines else ""
