"""Whether the GPU's counters counted: counted.py DOCTOR.json [SCORE.json]

DOCTOR.json is what `plumbline doctor --json` printed, SCORE.json what `plumbline score --json` did. Exit 0 where counters can be read, and, with
SCORE.json, counted; 3 where this user is refused them: then times and the counts of the code are what there is; 4 where nothing was counted
for any other reason, which is told so that nobody overlooks it.
"""

import json
import pathlib
import sys

COUNTED, REFUSED, LACKING = 0, 3, 4  # 1 is Python's own, of a traceback


def obstacle(doctor):
    """Status and reason of the counters by CUPTI; None where they can be read."""
    row = next((row for row in doctor["rows"] if row["what"] == "counters by cupti"), None)
    if row is None:
        return "unavailable", "this program was built without CUPTI"
    return None if row["status"] == "ok" else (row["status"], row["reason"])


def some_counted(score):
    return any(row["counter"].startswith("cupti ") and row["status"] == "ok" for row in score["rows"])


def judge(doctor, score=None):
    """The exit code, and what to say."""
    found = obstacle(doctor)
    if found and found[0] == "permission":
        return REFUSED, f"timing only: this user is refused the GPU's counters: {found[1]}"
    if found:
        return LACKING, f"NOTHING IS COUNTED ON THIS GPU: {found[0]}: {found[1]}"
    if score is not None and not some_counted(score):
        return LACKING, "NOTHING WAS COUNTED ON THIS GPU, though its counters can be read: see the notes of score and show"
    return COUNTED, "the GPU's counters can be read" if score is None else "the GPU's counters counted"


def main():
    documents = [json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:]]
    code, words = judge(*documents)
    mark = "=" * 100
    print(f"{mark}\n{words}\n{mark}" if code == LACKING else words)
    return code


if __name__ == "__main__":
    sys.exit(main())
