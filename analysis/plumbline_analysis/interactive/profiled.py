"""Sentences of the summary about a profiled program: what was measured of it, and where work on it pays most."""
from .. import style
from ..judged import number
from ..program import PARTS
from .panels import percent, seconds

OF_CAMPAIGNS = ("ways under the roofs", "figure of box sizes", "roofline of messages", "vector figure", "bandwidth figure")  # notes that say nothing of a program
EXPLAINED_FROM = 1  # percent of the roof: below it no measured ceiling explains a time (explained_from of harness/model)


def measured(profile):
    """The program, and what of it was measured: all of it or a part, counts of its own or those of a smaller input."""
    wall = f", which ran for {seconds(profile['wall_seconds'])}" if number(profile.get("wall_seconds")) else ""
    functions, regions = (len({row["name"] for row in profile.get("rows") or [] if row.get("kind") in kinds}) for kinds in (PARTS, ("region",)))
    word = _word(profile)
    parts = f": it as a whole and by {functions} {word}{'' if functions == 1 else 's'}" if functions else ""
    marked = f" and {regions} marked region{'' if regions == 1 else 's'}" if regions else ""
    yield f"The program {' '.join(profile.get('command') or ['?'])}{wall}{parts}{marked}."
    if profile.get("window"):
        yield f"Only a part of the run was profiled: {profile['window']} (--window); all numbers are of that part."
    scale = number(profile.get("work_scale"))
    if scale and scale != 1:
        yield f"FLOPs and bytes were not counted in this run: they are those of a smaller input times {style.short(scale)} (--scale-work), which nobody has checked."


def counted(profile):
    """The number of functions that have FLOPs beside their time."""
    rows = _parts(profile)
    known = [row for row in rows if number(row.get("gflops"))]
    if profile.get("why_not_joined"):
        yield f"No {_word(profile)} has FLOPs beside its time: {profile['why_not_joined'].rstrip('.')}."
    elif rows:
        by = {"": "samples told the times", "activities": "CUPTI's activities told the times"}.get(profile.get("gpu_time_by") or "", "the profiled launches told the times")
        yield f"FLOPs and times are known of {len(known)} of {len(rows)} {_word(profile)}{'' if len(rows) == 1 else 's'}; {by}."


def _word(profile):
    return "GPU kernel" if any(row.get("kind") == "kernel" for row in profile.get("rows") or []) else "function"


def counted_once(profile, placed):
    """The rows of functions; where none has a place, the first there is: the whole, its functions and its regions are the same work."""
    return [row for row in placed if is_function(profile, row)] or placed[:1]


def is_function(profile, row):
    return row["case"] in {part["case"] for part in _parts(profile) if part.get("case")}


def _parts(profile):
    return [row for row in profile.get("rows") or [] if row.get("kind") in PARTS and number(row.get("share"))]


def slowest(show):
    """The place where work on a program pays most: the largest share of its time that lies under its roof."""
    rows = [row for row in (show.get("profile") or {}).get("rows") or [] if row.get("kind") in PARTS and number(row.get("share"))
            and number(row.get("percent_of_roof"))]
    if rows:
        row = max(rows, key=lambda row: row["share"] * max(0.0, 1 - row["percent_of_roof"] / 100))
        bound = "arithmetic" if row["bound"] == "compute" else f"{style.level_name(row['bound'])} bandwidth"
        if row["percent_of_roof"] < EXPLAINED_FROM:
            yield (f"Begin with {row['name']}: {percent(row['share'])} of the time, which no measured ceiling explains: {bound}, which comes nearest, "
                   f"takes less than {EXPLAINED_FROM} % of it.")
            return
        yield f"Begin with {row['name']}: {percent(row['share'])} of the time, at {style.short(row['percent_of_roof'])} % of what {bound} allows."
