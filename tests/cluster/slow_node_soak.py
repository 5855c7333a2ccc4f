#!/usr/bin/python3
"""slow_node_soak.py RUNS RESULT.json: what slow_node_soak.sh's jobs in this folder came to; exit 1 where that is not good enough."""

import json
import os
import sys


def judged(name):
    with open(f"{name}.json", encoding="utf-8") as file:
        return json.load(file)


def change(row):
    """The change of the node as a whole when it was measured again, in percent."""
    again = [one for one in row["again"] if one["what"] is None]
    return round(100 * (again[0]["slowdown"] - 1), 1) if again else None


def main():
    runs, result = int(sys.argv[1]), sys.argv[2]
    jobs = []
    with open("jobs.txt", encoding="utf-8") as lines:
        for name, slow, code in map(str.split, lines):
            document = judged(name)
            named = [row["node"] for row in document["rows"] if row["verdict"] == "SLOWER"]
            suspected = {row["node"]: change(row) for row in document["rows"] if row["verdict"] != "ALIKE"}
            jobs.append({"job": name, "slow": slow, "named": named, "measured_again_percent": suspected, "exit": int(code.split(":")[0])})
    slow = [job for job in jobs if job["slow"] != "none"]
    found = sum(job["slow"] in job["named"] and job["exit"] == 3 for job in slow)
    wrongly = sum(any(node != job["slow"] for node in job["named"]) for job in jobs)
    quota = [row["conditions"].get("cpu_quota_cores", {}).get("value") for job in slow for row in judged(job["job"])["rows"]
             if row["node"] == job["slow"]]
    summary = {
        "command": f"bash tests/cluster/with_cluster.sh --slurm --nodes 4 -- bash tests/cluster/slow_node_soak.sh build-ci/bin/plumbline {runs} RESULT.json",
        "slow_jobs": len(slow), "slow_node_named": found, "equal_jobs": len(jobs) - len(slow), "jobs_with_a_node_wrongly_named": wrongly,
        "evidence_of_the_quota": sum(value is not None and abs(value - 0.8333) < 0.01 for value in quota),
        "cpus": os.cpu_count(), "load_average": [round(value, 1) for value in os.getloadavg()], "jobs": jobs}
    with open(result, "w", encoding="utf-8") as file:
        json.dump(summary, file, indent=1)
        file.write("\n")
    print(f"{found} of {len(slow)} slow nodes named, {wrongly} of {len(jobs)} jobs named a node wrongly")
    return 0 if found >= 0.95 * len(slow) and wrongly == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
