"""One case of an application, on one core: timed and counted by plumbline, beside a program of others that does the same work."""

import json
import pathlib
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
from programs import ProgramFailed, output_of  # noqa: E402

CAMPAIGN = """schema = "plumbline-campaign/1"
name = "one_case"
passes = ["{what}"]
counters = "{counters}"

[[cases]]
kernel = "{kernel}"
precision = ["fp64"]
flavor = ["{flavor}"]
team = [{{ranks = 1, threads = 1}}]
params = {{{params}}}

[ceilings]
mode = "none"
"""


def run_ours(plumbline, folder, kernel, flavor, params, counters="none"):
    """The file of a run of ours; `params`: name to integer."""
    campaign, store = folder / "one_case.toml", folder / "one_case.h5"
    said = ", ".join(f"{name} = {value}" for name, value in params.items())
    what = "time" if counters == "none" else "count"
    campaign.write_text(CAMPAIGN.format(what=what, counters=counters, kernel=kernel, flavor=flavor, params=said))
    output_of([plumbline, "run", campaign, "--overwrite", "-o", store])
    return store


def time_ours(plumbline, folder, kernel, flavor, params):
    """Seconds of a whole sweep."""
    store = run_ours(plumbline, folder, kernel, flavor, params)
    for row in json.loads(output_of([plumbline, "show", store, "--json"]))["rows"]:
        if row.get("phase") is None and row["status"] == "ok":
            return row["seconds"]
    raise ProgramFailed(f"{plumbline}: no time of {kernel}, {flavor}: is that flavor built in?")


def count_ours(plumbline, folder, kernel, flavor, params):
    """FLOPs of the first counted sweep, an fma being two, and those of the model."""
    with h5py.File(run_ours(plumbline, folder, kernel, flavor, params, "emulated")) as file:
        counts, model = file["counts"][:], file["model"][:]
    whole = counts[(counts["phase"] == b"") & (counts["thread"] == -1) & (counts["repetition"] == 0)]
    kinds = {"add": 1, "mul": 1, "fma": 2, "div": 1, "sqrt": 1}
    counted = sum(weight * float(whole[whole["event"] == f"flops.fp64.{kind}".encode()]["net"].sum()) for kind, weight in kinds.items())
    (modelled,) = model[(model["phase"] == b"") & (model["quantity"] == b"flops.fp64")]["lo"]
    return {"counted": round(counted), "model": int(modelled)}


def counted_region(document, name="iterations"):
    """FLOPs of a region in what `plumbline profile --json` says."""
    for row in document["rows"]:
        if row["kind"] == "region" and row["name"] == name:
            return row["flops"]
    raise ProgramFailed(f"the program has no region '{name}': was it built with the marks of plumbline.h?")


def profiled(plumbline, command, launcher=(), caches="no", environment=None):
    """Gives what a program of others said, and what `plumbline profile` counted of it, over all processes that `launcher` starts."""
    with tempfile.TemporaryDirectory(prefix="plumbline-counts-") as folder:
        counts = pathlib.Path(folder) / "counts.json"
        said = output_of([*launcher, plumbline, "profile", "--count-only", "--caches", caches, "-o", counts, "--", *command], seconds=900,
                         environment=environment)
        return said, json.loads(counts.read_text())


def count_theirs(plumbline, command):
    """FLOPs of the region 'iterations' of a program of others."""
    return counted_region(profiled(plumbline, command)[1])
