"""python3 -m plumbline_analysis report FILE.h5 --show show.json --ceilings ceilings.json --score score.json [--nodes nodes.json] -o DIR
python3 -m plumbline_analysis history DIR --history history.json -o DIR
python3 -m plumbline_analysis paper FILE.h5 -o DIR  (counterparts of the papers' figures)
python3 -m plumbline_analysis projection --matrix matrix.json -o DIR
python3 -m plumbline_analysis scaling --json scaling.json -o DIR
python3 -m plumbline_analysis paper DIR        (the experiment of Kwack et al. 2018: jobs/kwack2018.sh)"""
import argparse
import os
import sys
import traceback

DEBIAN_PACKAGES = {"matplotlib": "python3-matplotlib", "pandas": "python3-pandas", "numpy": "python3-numpy"}


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m plumbline_analysis", description="Draws what plumbline measured and judged.")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="figures (PNG, SVG) and one HTML page")
    report.add_argument("file", help="result file of plumbline run")
    for command in ("show", "ceilings", "score"):
        report.add_argument(f"--{command}", required=True, metavar="JSON", help=f"what plumbline {command} FILE --json printed")
    report.add_argument("--nodes", metavar="JSON", help="what plumbline nodes FILE --json printed")
    report.add_argument("--against", metavar="FILE", help="another result file, to compare with; takes the next four")
    for command in ("show", "ceilings", "score"):
        report.add_argument(f"--against-{command}", metavar="JSON", help=f"what plumbline {command} of that file --json printed")
    report.add_argument("--compare", metavar="JSON", help="what plumbline compare of that file and this one --json printed")
    report.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the figures")
    report.add_argument("--all-roofs", action="store_true", help="draw every ceiling of arithmetic, not only those that say something of the cases")
    nights = commands.add_parser("history", help="control charts of a folder of nights (PNG, SVG)")
    nights.add_argument("file", metavar="DIR", help="the folder")
    nights.add_argument("--history", required=True, metavar="JSON", help="what plumbline history DIR --json printed")
    nights.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the figures")
    matrix = commands.add_parser("projection", help="projected against measured times (PNG, SVG)")
    matrix.add_argument("--matrix", dest="file", required=True, metavar="JSON", help="what plumbline project FILE --matrix --json printed")
    matrix.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the figures")
    nodes = commands.add_parser("scaling", help="strong and weak scaling of applications (PNG, SVG)")
    nodes.add_argument("--json", dest="file", required=True, metavar="JSON", help="what plumbline project FILE --nodes FROM:TO --json printed")
    nodes.add_argument("-o", "--output", required=True, metavar="DIR", help="folder for the figures")
    paper = commands.add_parser("paper", help="counterparts of the papers' figures, from one result file; of a folder the experiment of Kwack et al. 2018")
    paper.add_argument("file", metavar="FILE|DIR", help="result file, or folder with series, series_flows and stencils, each .h5 and .score.json")
    paper.add_argument("-o", "--output", metavar="DIR", help="folder for the figures, and papers.json or kwack2018.json (default: where the input is)")
    for command in (report, nights, matrix, nodes):
        command.add_argument("--dark", action="store_true", help="draw on a dark ground, for slides")
    for command in (report, nights, matrix, nodes, paper):
        command.add_argument("--debug", action="store_true", help="after an error that nobody foresaw, show where in this package it rose")
    return parser.parse_args(arguments)


def main(arguments=None):
    parsed = parse(arguments)
    who = "plumbline report" if parsed.command in ("report", "history") else f"plumbline_analysis {parsed.command}"  # which no command of plumbline draws
    try:
        from . import errors, history, paper, projection, report, scaling
    except ModuleNotFoundError as error:
        module = (error.name or "?").split(".")[0]
        package = DEBIAN_PACKAGES.get(module, f"python3-{module}")
        print(f"{who}: the Python module '{module}' is missing; install it (Debian: apt install {package})", file=sys.stderr)
        return 1
    try:
        writers = {"report": report, "history": history, "projection": projection, "scaling": scaling, "paper": paper}
        paths, notes = writers[parsed.command].write(parsed)
    except errors.InputError as error:
        print(f"{who}: {error}", file=sys.stderr)
        return 2
    except errors.OutputError as error:
        print(f"{who}: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # nobody foresaw it: still one line, which names the file
        if parsed.debug:
            traceback.print_exc()
        told = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{who}: '{parsed.file}' cannot be drawn: {told}; --debug shows where", file=sys.stderr)
        return 1
    try:
        print(*paths, sep="\n", flush=True)
    except BrokenPipeError:  # who reads has enough; all is written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if notes:
        print(f"left out: {'; '.join(notes)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
