"""Roofs that are of single cases: by their own mix of operations, of precisions, and by their occupancy."""
from . import style
from .judged import number

LEAST_PART = 0.01  # of a case's FLOPs: a precision below it is no part of a mix that is told

def mix_roofs(rows, peaks):
    """The roof of a case's own mix of precisions, and of FMAs, sums and products, where that is its lowest.

    As `plumbline show --json` has it (older documents: what equation 7 of Yang et al. 2019 leaves of the peak); one within 2 % of a ceiling
    or of another such roof is not drawn.
    """
    found = {}
    for row in rows:
        value, name = number(row.get("compute_roof_gflops", row.get("partial_fma_gflops"))), mix_name(row)
        if not value or not name or value > 1.000001 * (number(row.get("roof_gflops")) or 0):
            continue
        if all(abs(value / other - 1) > 0.02 for other in [*found, *(peak["value"] for peak in peaks)]):
            found[value] = {"name": name, "value": value}
    return [found[value] for value in sorted(found, reverse=True)]


def mix_name(row):
    """A case's mix in words: its precisions, those of a percent or more, else its part of FMAs; empty where it is of FMAs in one precision."""
    parts = {precision: part for precision, part in (row.get("compute_mix") or {}).items() if part >= LEAST_PART}
    if len(parts) > 1:
        return "mix of " + ", ".join(f"{100 * part:.0f} % {precision}" for precision, part in sorted(parts.items(), key=lambda one: -one[1]))
    mix = (row.get("fma_mix") or {}).get(row["precision"])
    return f"mix of FMA fraction {mix['fraction']:.2f}" if mix and mix["fraction"] < 1 else ""


def occupancy_roofs(rows, peaks):
    """The roof of arithmetic at a case's measured occupancy, as `plumbline show --json` has it.

    One that takes off less than 2 %, or lies within 2 % of a ceiling or of another such roof, is not drawn.
    """
    found = {}
    for row in rows:
        roof = row.get("occupancy_roof") or {}
        value, part = number(roof.get("gflops")), number(roof.get("part"))
        if value and part and part < 0.98 and all(abs(value / other - 1) > 0.02 for other in [*found, *(peak["value"] for peak in peaks)]):
            found[value] = {"name": f"at {style.short(roof['warps'])} of {style.short(roof['most_warps'])} warps", "value": value}
    return [found[value] for value in sorted(found, reverse=True)]


def own_roofs(rows, peaks):
    """The roofs that are of single cases: by their mix of FMAs, and by their occupancy."""
    mixes = mix_roofs(rows, peaks)
    return mixes + occupancy_roofs(rows, peaks + mixes)


def occupancy_note(rows):
    """Says why no roof by occupancy is drawn, where counters of a GPU counted but nothing measured tells what it allows."""
    roofs = [row["occupancy_roof"] for row in rows if row.get("occupancy_roof")]
    if not roofs or any(number(roof.get("gflops")) for roof in roofs):
        return ""
    return f"No roofs by occupancy: {roofs[0]['reason']}."
