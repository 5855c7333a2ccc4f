"""Draws what plumbline measured and judged; computes nothing that the harness computes.

load(path) gives a result file as pandas tables, and its roofline; `python3 -m plumbline_analysis report` draws.
"""
try:
    from .load import load  # noqa: F401
except ModuleNotFoundError:  # of pandas or numpy: the commands say so in a line
    pass
