"""Draws what plumbline measured and judged; computes nothing that the harness computes.

load.load(path) gives a result file as pandas tables; `python3 -m plumbline_analysis report` draws.
"""
