"""Every pytest here ends with 77 (ctest's "skipped") when nothing failed and some tests could not run, so that a skip hides no failure.

What is marked `whole` (a test, or some of its parameters) repeats on other inputs what the others show. It runs where PLUMBLINE_WHOLE is set,
and there alone: in the ctest NAME.whole, which has the label full.
"""

import os

SKIPPED = 77


def pytest_configure(config):
    config.addinivalue_line("markers", "whole: for `jobs/test.sh --full` alone, which sets PLUMBLINE_WHOLE")


def pytest_collection_modifyitems(config, items):
    whole = "PLUMBLINE_WHOLE" in os.environ
    parts = {True: [], False: []}
    for item in items:
        parts[(item.get_closest_marker("whole") is not None) == whole].append(item)
    config.hook.pytest_deselected(items=parts[False])
    items[:] = parts[True]


def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter and reporter.stats.get("skipped"):
        session.exitstatus = SKIPPED
