"""A user is told one line, and the exit code of the contract."""


class InputError(Exception):
    """Something the user gave is missing, foreign or broken: exit 2. One line: what, where, why, what to try."""


class OutputError(Exception):
    """The system refused to take the result: exit 1."""
