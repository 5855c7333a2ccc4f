"""Files that a report makes where others may write too: each is made anew and then put in its place, never written through another's link."""
import contextlib
import os


@contextlib.contextmanager
def replacing(target):
    """An open binary file that takes the place of `target` once all is written; where writing fails, `target` stays as it was."""
    draft = f"{target}.{os.getpid()}.partial"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(descriptor, "wb") as file:
            yield file
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise


def slug(text):
    """The text as a part of a file's name."""
    return "".join(c if c.isalnum() or c in "-._" else "_" for c in text)
