"""Every pytest here ends with 77 (ctest's "skipped") when nothing failed and some tests could not run, so that a skip hides no failure."""

SKIPPED = 77


def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter and reporter.stats.get("skipped"):
        session.exitstatus = SKIPPED
