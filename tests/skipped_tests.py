#!/usr/bin/python3
"""skipped_tests.py JUNIT.xml...: one line for each test that ctest skipped, with the reason the test gave."""

import re
import sys
import xml.etree.ElementTree

# A script's "SKIP: reason", GoogleTest's "file:line: Skipped" with the reason on the next line, pytest's "SKIPPED [1] file:line: reason".
REASONS = [
    re.compile(r"SKIP: (.+)"),
    re.compile(r"^.*: Skipped\n(.+)", re.MULTILINE),
    re.compile(r"^SKIPPED \[\d+\] (.+)", re.MULTILINE),
]


def reasons(output):
    for pattern in REASONS:
        found = list(dict.fromkeys(match.strip() for match in pattern.findall(output)))
        if found:
            return found
    return ["no reason given"]


def skipped(path):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        output = case.findtext("system-out") or ""
        partly = case.get("status") == "run" and any(pattern.search(output) for pattern in REASONS)  # one program, many tests
        if case.find("skipped") is not None or partly:
            for reason in reasons(output):
                yield f"{case.get('name')}: {reason}"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        for line in skipped(argument):
            print(line)
