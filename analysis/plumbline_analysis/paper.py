"""The experiment of Kwack et al. 2018 beside the paper: tables to the terminal, figures 2 to 8, and kwack2018.json."""
import json
import os

from . import kwack2018, kwack2018_figures
from .own_files import replacing
from .papers import command
from .report import drawing_into, save_all


def write(arguments):
    """Prints the tables; returns the paths written and notes about what could not be drawn. Of a result file: the papers' counterparts."""
    if not os.path.isdir(arguments.file):
        return command.write(arguments)
    folder = arguments.output or arguments.file
    campaigns = kwack2018.read(arguments.file)
    found = kwack2018.summary(campaigns)
    target = os.path.join(folder, "kwack2018.json")
    with drawing_into(folder):
        figures = save_all(kwack2018_figures.all_figures(campaigns), folder)
        with replacing(target) as file:
            file.write((json.dumps(found, indent=1) + "\n").encode())
    print(kwack2018.as_text(found))
    notes = [f"{name}: {facts['cases'] - facts['counted']} of {facts['cases']} cases were not counted"
             for name, facts in found["campaigns"].items() if facts["counted"] < facts["cases"]]
    return [path for _, *paths in figures for path in paths] + [target], notes
