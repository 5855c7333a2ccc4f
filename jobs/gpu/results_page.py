"""The page of what was proved on GPUs and what is left, in Markdown: results_page.py FOLDER

FOLDER holds a folder for each GPU with the reference.json that part 80 left there. RESULTS.md beside this program is what it prints of
tests/golden/gpu; a test holds the two against each other.
"""

import pathlib
import sys

from goals import GOALS, MET, NOT_MEASURED, all_goals, answers, candidates
from reference import load

COMMAND = "python3 jobs/gpu/results_page.py tests/golden/gpu >jobs/gpu/RESULTS.md"
PARTS = sorted(part.stem for part in pathlib.Path(__file__).with_name("parts").glob("[0-9]*.sh"))


def table(heads, rows):
    """A table of texts. A bar would end a cell."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def goals_table(reference):
    return table(["goal", "ceiling, counter or kernel", "wanted", "measured", "", "beside it"],
                 [[one["line"], one["ceiling"], one["goal"], one["measured"], one["verdict"], one["beside"]] for one in all_goals(reference)])


def percent(part):
    return f"{100 * part:.3g} %"


def candidates_table(reference):
    rows = [one for goal in GOALS["counter"] for one in candidates(reference, goal)]
    return table(["quantity", "candidate", "cases", "worst error", "median error", "farthest case", "zeros", "grade"],
                 [[one["quantity"], one["counter"], one["cases"], percent(one["worst"]), percent(one["median"]), f"`{one['farthest']}`", one["zeros"],
                   one["grade"]] for one in rows]) if rows else "No counter was held against arithmetic.\n"


def ratio(value):
    return "-" if value is None else f"{value:.4g}"


def question_text(reference, question):
    rows = answers(reference, question)
    if not rows:
        return question["asks"] + "\n\nNot measured.\n"
    heads = ["counter", "quantity", "cases", "least ratio", "median", "most", "most where none is"]
    shown = [[one["counter"], one["quantity"], f"`{one['case']}`" if one["case"] else one["cases"], ratio(one["least"]), ratio(one["median"]),
              ratio(one["most"]), ratio(one["most_where_none_is"])] for one in rows]
    return question["asks"] + "\n\n" + table(heads, shown)


def agreement_text(reference, key, what):
    """Says how many of another tool's counts agree with ours, and which do not."""
    lines = reference.get(key)
    if lines is None:
        return f"{what}: not compared.\n"
    judged = [line for line in lines if line["agrees"] is not None]
    apart = [line for line in judged if not line["agrees"]]
    return f"{what}: {len(judged) - len(apart)} of {len(judged)} amounts agree" + "".join(
        f"; `{line['case']}` {line['what']}: ratio {ratio(line['ratio'])}" for line in apart) + ".\n"


def expectations_text(reference):
    rows = reference.get("expectations")
    if rows is None:
        return "Not measured.\n"
    shown = [[f"`{one['id']}`", one["source"], "-" if one["expected_lo"] is None else f"{one['expected_lo']:.4g}",
              "-" if one["expected_hi"] is None else f"{one['expected_hi']:.4g}", ratio(one["measured"]), one["verdict"], one["reason"] or ""] for one in rows]
    return table(["expectation", "paper", "least", "most", "measured", "verdict", "why"], shown)


def conditions_text(gpu):
    """Clock and power while the ceilings were measured, by NVML."""
    during = (gpu.get("conditions") or {}).get("during") or {}
    told = [f"{words} {during[name]['least']:.0f} to {during[name]['most']:.0f} {unit}"
            for name, words, unit in (("sm_clock_mhz", "clock", "MHz"), ("power_watts", "power", "W"), ("temperature_celsius", "heat", "C")) if name in during]
    reasons = during.get("clock_event_reasons")
    if reasons is not None:
        told.append("clocks held down by: " + (", ".join(reasons) or "nothing"))
    return ", ".join(told)


def heading(name, reference):
    gpu, facts = (reference.get("gpus") or [{}])[0], reference.get("gpu") or {}
    told = [gpu.get("name") or facts.get("Product Name") or name,
            f"{gpu['multiprocessors']} multiprocessors of {gpu['compute_capability']}" if gpu.get("multiprocessors") else "",
            f"driver {facts['Driver Version']}" if "Driver Version" in facts else "", conditions_text(gpu)]
    return f"## {name}, {reference['date']}\n\n{'; '.join(filter(None, told))}. Command: `{reference['command']}`\n"


def counting_text(reference):
    counting = reference.get("counting")
    if counting is None or counting["status"] == "ok":
        return ""
    return (f"**Not validated: the counters could not be read here ({counting['status']}: {counting['reason']}).** What is called static is counted "
            "in the disassembled code, not measured.\n")


def left_of(reference):
    parts = reference.get("parts") or {}
    undone = [part for part in PARTS if part != "80-reference" and (parts.get(part) or {}).get("how") != "passed"]
    told = [f"part {part}: {(parts.get(part) or {}).get('how', 'not done')}" for part in undone]
    goals = all_goals(reference)
    for word, words in ((NOT_MEASURED, "not measured"), ("MISSED", "missed, to be explained or mended")):
        lines = list(dict.fromkeys(one["line"] for one in goals if one["verdict"] == word))
        if lines:
            told.append(f"{words}: {', '.join(lines)}")
    return "".join(f"- {one}\n" for one in told) or "Nothing.\n"


def section(name, reference):
    met = sum(one["verdict"] == MET for one in all_goals(reference))
    return "\n".join([
        heading(name, reference) + counting_text(reference),
        f"### Goals: {met} met\n", goals_table(reference),
        "### Candidates for each quantity, best first\n", candidates_table(reference),
        agreement_text(reference, "ncu", "Beside ncu"), agreement_text(reference, "kernels", "Beside `plumbline profile --gpu`"),
        agreement_text(reference, "torch", "PyTorch under `plumbline profile --gpu`, beside arithmetic"),
        "### What papers say of GPUs\n", expectations_text(reference),
        "### Questions that only a GPU answers\n", "\n".join(question_text(reference, one) for one in GOALS["question"]),
        "### Left\n", left_of(reference)])


def page(references):
    head = ("# What was proved on GPUs, and what is left\n\n"
            f"Made by `{COMMAND}` of what `bash jobs/test.sh --gpu` left there; the goals and questions are [goals.toml](goals.toml)'s.\n")
    if not references:
        nothing = {"date": "", "command": "", **dict.fromkeys(("ceilings", "repeatability", "cases", "counters", "ratios"))}
        return "\n".join([head, "**Nothing yet: this program has not run on a GPU.** What is left is all of it:\n", goals_table(nothing),
                          "And the questions that only a GPU answers:\n", "".join(f"- {one['asks']}\n" for one in GOALS["question"])])
    return "\n".join([head, *(section(name, reference) for name, reference in references.items())])


def main():
    folder = pathlib.Path(sys.argv[1])
    print(page({file.parent.name: load(file) for file in sorted(folder.glob("*/reference.json"))}), end="")


if __name__ == "__main__":
    main()
