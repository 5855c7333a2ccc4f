"""This goes through everything that needs a GPU, with programs that were built elsewhere: it installs and builds nothing, and needs neither
MPI nor a network.

  bash jobs/test.sh --gpu [--programs FOLDER] [--results FOLDER|FILE] [--seconds 480] [--only PART]... [--again PART]... [--hurry 1]

FOLDER of programs: what jobs/gpu/bundle.sh packed, unpacked (bin, lib, share), or a build folder; build-ci where none is named.
The work is cut into parts (jobs/gpu/parts, each with its own folder of results). One call takes those that fit into its seconds, in their
order, and ends one that takes twice the seconds that it says; the next one goes on. A part that is done or begun is so for these very
programs; for others it is begun anew, as are those named by --again with those that come after them, and those begun on a machine with
another GPU (by UUID: machines may share a name). --only names those that this call takes. Of the machine's GPUs the first is measured, or
those of CUDA_VISIBLE_DEVICES.

--hurry N is for rehearsals without a GPU, whose campaigns are small ones: all limits of the parts, and of what they start, are divided by N.

Results: gpu-results in the folder where it is called, if --results names no other. Where it names a file (NAME.tar.gz, .tgz or .tar.xz),
they are kept in that archive, packed anew after each part and each half minute of one; the next call goes on with it. A part that says
"resumable" may run out of its time, or end at what hangs: it goes on next time, four times at most, and those that come "after" it wait
meanwhile; one that "closes" sums up what there is by the end of every call. What a part that is not done ended with is in its folder:
ended.json.

Exit codes: 0 all parts are done, or there is no GPU (said) · 1 a part failed, or a file or program cannot be used (said) · 2 wrong use ·
75 parts remain: call again
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from typing import Callable, NoReturn

from results_folder import BadArchive, ResultsFolder

HERE = os.path.dirname(os.path.abspath(__file__))
OUR_PARTS = f"{HERE}/parts"
SKIPPED, STOPPED_EARLY, TIMED_OUT = 77, 75, (124, 137, 143)  # what a part ends with
MOST_GOES = 4  # of a part that never comes to its end
PATIENCE = 2  # times the seconds that it says: then a part hangs, and those after it shall have their time
LEAST_GO = 120  # seconds: what a part needs that goes on another time
LEAST_LIMIT = 10  # seconds: of a part, however much a rehearsal hurries
MOST_LETTERS = 400  # of a reason
LINES_SO_FAR = 60  # of what sums up while parts remain
PACKED_EACH = 30  # seconds, while a part is at work
ENDINGS = (signal.SIGTERM, signal.SIGHUP)


class WrongUse(Exception):
    """The call is wrong; the text says how."""


class Unusable(Exception):
    """A file or a program is not as it must be; the text names it and says why."""


class Options(argparse.ArgumentParser):
    """The options of a call; what is wrong with them is told like all else that is wrong with a call."""

    def __init__(self) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self.add_argument("-h", "--help", action="store_true")
        self.add_argument("--programs", default=f"{HERE}/../../build-ci")
        self.add_argument("--results", default="gpu-results")
        self.add_argument("--seconds", default=480, type=whole_number)
        self.add_argument("--hurry", default=1, type=whole_number)
        self.add_argument("--parts", default=OUR_PARTS)  # others are for the test of this program
        self.add_argument("--only", action="append", default=[])
        self.add_argument("--again", action="append", default=[])

    def error(self, message: str) -> NoReturn:
        raise WrongUse(f"{message}; try --help")


def whole_number(text: str) -> int:
    """A number of seconds, or of times, of which there must be one at least."""
    if not re.fullmatch("[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"{text}: a whole number is needed, from 1 on")
    return int(text)


@contextlib.contextmanager
def errors_about(file: str | pathlib.Path):
    """Errors of writing to a file that is open name no file: they get its name."""
    try:
        yield
    except OSError as refused:
        if refused.filename is None:
            refused.filename = str(file)
        raise


def say(text: str) -> None:
    """Prints a line at once, before what a part's own programs print."""
    with errors_about("standard output"):
        print(text, flush=True)


def pass_on(lines: list[bytes]) -> None:
    """Prints what a part has printed."""
    with errors_about("standard output"):
        sys.stdout.buffer.writelines(lines)
        sys.stdout.flush()


def write(path: pathlib.Path, text: str) -> None:
    """Writes a file anew."""
    with errors_about(path):
        path.write_text(text, encoding="utf-8")


def lines_of(path: pathlib.Path) -> list[str]:
    """The lines of a file; none where there is no such file."""
    return path.read_bytes().decode("utf-8", "replace").removesuffix("\n").split("\n") if path.is_file() else []


def remove(path: pathlib.Path) -> None:
    """Removes a file, or a folder with all that is in it, where there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def code_of(command: list[str], meanwhile: Callable[[], None], **how) -> int:
    """Runs a command and gives its exit code as a shell does. Where this program is ended meanwhile, so is the command."""
    with subprocess.Popen(command, **how) as process:
        try:
            while (code := ended_within(process, PACKED_EACH)) is None:
                meanwhile()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    return code if code >= 0 else 128 - code


def ended_within(process: subprocess.Popen, seconds: int) -> int | None:
    """The exit code of a process; none where it is at work longer than that."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


class Part:
    """A part is a script; its first lines say what it does and how it is to be run."""

    def __init__(self, script: pathlib.Path, results: ResultsFolder):
        self.script, self.name, self.results = script, script.stem, results
        self.head: dict[str, str] = {}
        for number, line in enumerate(lines_of(script), 1):
            if found := re.match(r"# (\w+): (.*)", line):
                self.head.setdefault(found[1], found[2])
                if found[1] == "seconds" and not re.fullmatch("[0-9]+", found[2]):
                    raise WrongUse(f"{script}:{number}: seconds: {found[2]}: a whole number is needed")
        self.seconds = int(self.head.get("seconds", "0"))
        self.folder = results.path / self.name
        self.output = self.folder / "output.txt"
        self.done = self.folder / "done"  # the programs by which it is done, how it went, and the machine's GPUs
        self.ended = self.folder / "ended.json"  # how it ended, done or not: exit code, seconds, their limit, in words, the machine's GPUs
        self.begun_by = results.path / f".programs-{self.name}"  # the programs that began it, and the machine's GPUs
        self.goes = results.path / f".goes-{self.name}"  # how often it has ended before it was done
        self.is_resumable = self.head.get("resumable") == "yes"
        self.closes = self.head.get("closes") == "yes"
        self.after = self.head.get("after")  # the part that it waits for while that one goes on

    @property
    def what(self) -> str:
        return self.head.get("what", "")

    def is_done(self, identity: str) -> bool:
        return lines_of(self.done)[:1] == [identity]

    def how(self) -> str:
        """Says how a part that is done went: "passed, 12 s" or "skipped: no ncu"."""
        return "".join(lines_of(self.done)[1:2])

    def done_on(self) -> str:
        """The GPUs of the machine that did it."""
        return "".join(lines_of(self.done)[2:3])

    def reason(self) -> str:
        """The line of its output that tells best why it is not done: the program's first complaint, else what was said last; with the file."""
        told = [line.strip() for line in lines_of(self.output) if line.strip(" =")]
        complaints = [line for line in told if line.startswith("plumbline: ")]
        words = [line if len(line) <= MOST_LETTERS else line[:MOST_LETTERS] + "..." for line in complaints[:1] or told[-1:]]
        return "; ".join([*words, f"see {self.results.name}/{self.name}/{self.output.name}"])

    def note_end(self, code: int, seconds: int, limit: int, how: str, gpus: str) -> None:
        """Keeps how it ended beside what it left."""
        found = {"exit_code": code, "seconds": seconds, "limit_seconds": limit, "how": how, "gpus": gpus}
        write(self.ended, json.dumps(found, indent=1) + "\n")

    def last_end(self) -> str:
        """Says how it ended last time; empty where it has not been begun, or was not ended by itself."""
        return json.loads(self.ended.read_text(encoding="utf-8"))["how"] if self.ended.is_file() else ""

    def needed(self) -> int:
        """The seconds that it takes, or to begin one that goes on another time."""
        return min(self.seconds, LEAST_GO) if self.is_resumable else self.seconds

    def goes_before(self) -> int:
        text = "".join(lines_of(self.goes)) or "0"
        if not re.fullmatch("[0-9]+", text):
            raise Unusable(f"{self.goes}: a number of goes is needed; --again {self.name} begins anew")
        return int(text)

    def forget(self) -> None:
        """Forgets that it is done or begun, and the result file that it would go on with ("keeps")."""
        paths = [self.done, self.goes, self.begun_by]
        if store := self.head.get("keeps"):
            paths += [self.results.path / store, self.results.path / f"{store.removesuffix('.h5')}.journal"]
        for path in paths:
            remove(path)

    def run(self, limit: int, environment: dict[str, str], *options: str, **how) -> int:
        """Runs the part and returns its exit code. What it prints is in its folder from the first line on, however it ends."""
        command = ["timeout", *options, str(limit), "bash", str(self.script)]
        with open(self.output, "wb") as file:
            return code_of(command, self.keep_so_far, stdout=file, stderr=subprocess.STDOUT, env={**environment, "OUT": str(self.folder)}, **how)

    def keep_so_far(self) -> None:
        """Keeps what the part has so far; what is just being written, or is refused, is kept when it has ended, or told then."""
        with contextlib.suppress(OSError):
            self.results.keep()


def identity_of(programs: str) -> str:
    """The programs in 16 digits: results of others are not gone on with."""
    digest = hashlib.sha256()
    for path in [f"{programs}/bin/plumbline", *sorted(glob.glob(f"{glob.escape(programs)}/lib/libplumbline_cuda*.so"))]:
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()[:16]


def libraries_here() -> list[str]:
    """Folders of cuBLAS, cuDNN and CUPTI that the loader does not know: of a toolkit, and of Python's packages, as PyTorch brings them."""
    toolkit = os.environ.get("CUDA_HOME") or "/usr/local/cuda"
    packages = glob.escape(sysconfig.get_path("purelib"))
    folders = [f"{toolkit}/lib64", f"{toolkit}/extras/CUPTI/lib64", *sorted(glob.glob(f"{packages}/nvidia/*/lib"))]
    return [folder for folder in folders if any(glob.glob(f"{glob.escape(folder)}/{name}.so*") for name in ("libcublasLt", "libcudnn", "libcupti"))]


def wrapped_programs(programs: str, folder: pathlib.Path) -> str:
    """A folder of the programs that came packed with libraries of their own, libstdc++ among them, and look for others.

    The libraries are for these programs alone, not for this machine's python, ncu or nvidia-smi, which may be newer.
    """
    known = "".join(f":{library}" for library in libraries_here())
    folder.mkdir()
    for program in sorted(pathlib.Path(programs, "bin").iterdir()):
        wrapper = folder / program.name
        if not os.access(program, os.X_OK):
            wrapper.symlink_to(program)
            continue
        path = f"{programs}/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}{known}"
        write(wrapper, f'#!/bin/sh\nLD_LIBRARY_PATH="{path}" exec "{program}" "$@"\n')
        wrapper.chmod(0o755)
    return str(folder)


def environment_of(programs: str, results: pathlib.Path, scratch: pathlib.Path, hurry: int) -> dict[str, str]:
    """The environment by which the parts find their programs; each is told besides which parts are DONE by these programs."""
    packed = os.path.exists(f"{programs}/lib/libstdc++.so.6")
    folder = wrapped_programs(programs, scratch / "bin") if packed else f"{programs}/bin"
    tests = folder if os.path.exists(f"{folder}/gpu_tests.txt") else f"{programs}/tests"  # a build folder's
    device = os.environ.get("CUDA_VISIBLE_DEVICES") or "0"  # a part's seconds are those of one GPU
    ours = {"PROGRAMS": programs, "BIN": folder, "RESULTS": str(results), "TESTS": tests, "HURRY": str(hurry)}
    return {**os.environ, **ours, "CUDA_VISIBLE_DEVICES": device}


def gpus_here() -> list[str]:
    """The machine's GPUs as nvidia-smi lists them, by UUID where it tells one; none where it does not answer."""
    try:
        told = subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = [line for line in told.decode("utf-8", "replace").splitlines() if line.startswith("GPU")]
    return [found[1] if (found := re.search(r"UUID: ([^ )]+)", line)) else line for line in lines]


class Call:
    """One call takes as many parts as fit into its seconds."""

    def __init__(
        self, options: argparse.Namespace, parts: list[Part], programs: str, results: ResultsFolder, scratch: pathlib.Path, began: float
    ):
        self.options, self.parts, self.results, self.began = options, parts, results, began
        self.identity = identity_of(programs)
        self.gpus = " ".join(gpus_here())
        self.environment = environment_of(programs, results.path, scratch, options.hurry)
        self.failed: list[str] = []
        self.left_out: list[Part] = []  # of this call, whose seconds are too few
        self.something_new = False

    def seconds_spent(self) -> int:
        return int(time.monotonic() - self.began)

    def count_go(self, part: Part, why: str) -> str:
        """One go more of a part that is not done, in words; a part that never comes to its end fails."""
        goes = part.goes_before() + 1
        write(part.goes, f"{goes}\n")
        how = f"{why}, for the {goes}th time" if goes >= MOST_GOES else why
        if goes >= MOST_GOES:
            self.failed.append(f"{part.name}: {how}")
        return how

    def limit_of(self, part: Part, left: int, for_others: int = 0) -> int:
        """The seconds after which a part is ended: twice those that it needs where nothing hangs. One that goes on another time leaves the
        parts after it theirs, as far as it needs no more itself."""
        patience = PATIENCE * part.seconds
        limit = max(patience // self.options.hurry, min(patience, LEAST_LIMIT))
        if part.is_resumable:
            limit = min(limit, max(part.seconds // self.options.hurry, min(patience, LEAST_LIMIT), left - for_others))
        return min(left, limit)

    def waits_for(self, part: Part) -> str:
        """The part that must come to its end before this one is begun, and why it has not; empty where nothing stands in the way.

        It goes on with the next call, unless it did so too often or others are named; it has no time in this one; or it is another GPU's,
        of which nothing is held against this one.
        """
        other = next((one for one in self.parts if one.name == part.after), None)
        if other is None:
            return ""
        if other.is_done(self.identity):
            return f"{other.name}, which was done on another GPU ({other.done_on()}): --again {other.name}" if other.done_on() != self.gpus else ""
        goes_on = not self.options.only and 0 < other.goes_before() < MOST_GOES
        return f"{other.name}, which goes on with the next call" if other in self.left_out or goes_on else ""

    def look_at_gpus(self) -> None:
        """Sees which GPUs are here now. A driver that does not answer has not taken them away."""
        self.gpus = " ".join(gpus_here()) or self.gpus

    def begin(self, part: Part) -> None:
        """Makes its folder anew."""
        begun = lines_of(part.begun_by)
        if begun[:1] == [self.identity] and begun[1:] not in ([], [self.gpus]):
            say(f"{part.name} was begun on another machine's GPU ({' '.join(begun[1:])}): it begins anew on {self.gpus}")
        if begun != [self.identity, self.gpus]:
            part.forget()  # others began it, and these could not go on
        if part.folder.is_dir():  # of a file that is in its place the user hears
            remove(part.folder)
        part.folder.mkdir(exist_ok=True)
        write(part.begun_by, f"{self.identity}\n{self.gpus}\n")
        part.goes_before()  # what is wrong with it is told before minutes are spent

    def do_part(self, part: Part, limit: int) -> None:
        """Runs it; notes that it is done, unless it failed or goes on another time."""
        begun = self.seconds_spent()
        if part.is_resumable and limit > 60:
            limit -= 20  # until the case at hand is finished and written down
        self.look_at_gpus()
        self.begin(part)
        say(f"=== {part.name}: {part.what}")
        done = " ".join(other.name for other in self.parts if other.is_done(self.identity))
        code = part.run(limit, {**self.environment, "DONE": done}, "--kill-after=20", cwd=part.folder)
        seconds = self.seconds_spent() - begun
        part.note_end(code, seconds, limit, self.note(part, code, limit, seconds), self.gpus)
        self.results.keep()
        pass_on([part.output.read_bytes()])  # last: what is done stays so where nobody reads any more

    def note(self, part: Part, code: int, limit: int, seconds: int) -> str:
        """Notes how a part went, and says it."""
        if code == STOPPED_EARLY or (code in TIMED_OUT and part.is_resumable):
            how = "stopped early" if code == STOPPED_EARLY else f"not done after {limit} s"
            return self.count_go(part, f"{how} ({part.reason()})")
        if code in (0, SKIPPED):
            goes = part.goes_before()
            last = f", the last of {goes + 1} goes" if goes else ""  # the seconds are of one go alone
            how = f"skipped: {''.join(lines_of(part.output)[-1:])}" if code == SKIPPED else f"passed, {seconds} s{last}"
            write(part.done, f"{self.identity}\n{how}\n{self.gpus}\n")
            part.goes.unlink(missing_ok=True)
            return how
        part.goes.unlink(missing_ok=True)  # nobody waits for what failed
        how = f"not done after {limit} s" if code in TIMED_OUT else f"exit code {code}"
        self.failed.append(f"{part.name}: {how}: {part.reason()}")
        return f"failed, {how}: {part.reason()}"

    def close_with(self, part: Part) -> None:
        """Does a part that is done with all the others, and again where one of them was done again; until then it is only told."""
        if all(other.closes or other.is_done(self.identity) for other in self.parts):
            if self.something_new or not part.is_done(self.identity):
                self.do_part(part, self.limit_of(part, PATIENCE * part.seconds))
            return
        part.forget()
        part.folder.mkdir(exist_ok=True)
        say(f"=== {part.name} so far")
        part.run(self.limit_of(part, PATIENCE * part.seconds), self.environment)
        pass_on(part.output.read_bytes().splitlines(keepends=True)[-LINES_SO_FAR:])

    def is_wanted(self, part: Part) -> bool:
        return not self.options.only or part.name in self.options.only

    def do_parts(self) -> None:
        to_do = [part for part in self.parts if not part.closes and not part.is_done(self.identity) and self.is_wanted(part)]
        for number, part in enumerate(to_do):
            left = self.options.seconds - self.seconds_spent()
            if part.needed() // self.options.hurry > left:
                say(f"=== {part.name} needs {part.needed() // self.options.hurry} s, and {max(left, 0)} are left of --seconds")
                self.left_out.append(part)
                continue
            if other := self.waits_for(part):
                say(f"=== {part.name} waits for {other}")
                continue
            self.something_new = True
            for_others = sum(after.needed() for after in to_do[number + 1 :]) // self.options.hurry
            self.do_part(part, self.limit_of(part, left, for_others))
        for part in self.parts:
            if part.closes:
                self.close_with(part)

    def sum_up(self) -> int:
        """Tells of every part how it went; the call's exit code."""
        say("")
        remaining = [part for part in self.parts if not part.is_done(self.identity)]
        for part in self.parts:
            elsewhere = f" (on {part.done_on()})" if part.done_on() != self.gpus else ""
            last = f"; last time {part.last_end()}" if part in remaining and part.last_end() else ""
            say(f"  {part.name:16} " + (f"remains, about {part.seconds} s: {part.what}{last}" if part in remaining else part.how() + elsewhere))
        say(f"  results: {self.results.name}")
        for one in self.failed:
            say(f"gpu: FAILED {one}")
        if not remaining:
            say("gpu: all parts are done")
            return 0
        without = "".join(f" without --{name}" for name in ("again", "only") if getattr(self.options, name))
        say(f"gpu: {len(remaining)} of {len(self.parts)} parts remain; the same command{without} goes on with them")
        return 1 if self.failed else 75


def folder_of_programs(options: argparse.Namespace) -> str:
    """The folder that has what shall be run."""
    if not os.access(f"{options.programs}/bin/plumbline", os.X_OK):
        raise WrongUse(
            f"no bin/plumbline in {options.programs}; unpack what jobs/gpu/bundle.sh made, or build, and name the folder with --programs"
        )
    return os.path.abspath(options.programs)


def results_of(options: argparse.Namespace, at_the_end: contextlib.ExitStack) -> ResultsFolder:
    """The folder of results, made where it is not there, or of what an archive has; kept at the end of the call, however it ends."""
    try:
        return at_the_end.enter_context(ResultsFolder(options.results))
    except BadArchive as bad:
        raise WrongUse(f"--results {bad}") from bad
    except OSError as refused:
        raise WrongUse(f"--results {options.results}: cannot be made or read: {refused.strerror or refused}") from refused


def scripts_in(folder: str) -> list[pathlib.Path]:
    """The scripts of the parts, in their order."""
    scripts = [pathlib.Path(script) for script in sorted(glob.glob(f"{glob.escape(folder)}/[0-9]*.sh"))]
    if not scripts:
        raise WrongUse(f"--parts {folder}: there is no part in it, no file as 10-part.sh")
    return scripts


def named(parts: list[Part], option: str, name: str) -> Part:
    """The part of that name."""
    for part in parts:
        if part.name == name:
            return part
    raise WrongUse(f"{option} {name}: there is no such part; there are: {' '.join(one.name for one in parts)}")


def run(words: list[str], began: float) -> int:
    """Goes through the parts; the exit code."""
    options = Options().parse_args(words)
    if options.help:
        say((__doc__ or "").strip())
        return 0
    programs, scripts = folder_of_programs(options), scripts_in(options.parts)
    for program in ("bash", "timeout"):
        if not shutil.which(program):
            raise Unusable(f"{program}: it is not in PATH, and parts are run by it")
    with contextlib.ExitStack() as at_the_end:
        results = results_of(options, at_the_end)
        scratch = pathlib.Path(at_the_end.enter_context(tempfile.TemporaryDirectory()))
        parts = [Part(script, results) for script in scripts]
        for name in options.only:
            named(parts, "--only", name)
        for name in options.again:
            named(parts, "--again", name)
            for part in parts:
                if name in (part.name, part.after):
                    part.forget()
        if options.parts == OUR_PARTS and not gpus_here():
            say("gpu: skipped: no NVIDIA GPU answers nvidia-smi on this machine; parts that remain: " + " ".join(part.name for part in parts))
            return 0
        call = Call(options, parts, programs, results, scratch, began)
        call.do_parts()
        return call.sum_up()


def refusal(refused: OSError) -> str:
    """The refusal of the system, in a line: "FILE: reason"."""
    return ": ".join(str(one) for one in (refused.filename, refused.strerror or refused) if one is not None)


def end(number: int, _) -> NoReturn:
    """Ends this program by a signal: the part at work is ended too, and what it has is kept, however often the signal comes."""
    for ending in ENDINGS:
        signal.signal(ending, signal.SIG_IGN)
    sys.exit(128 + number)


def main() -> int:
    began = time.monotonic()
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # none where it was closed
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a reason may have letters that this terminal has not
    for ending in ENDINGS:
        if signal.getsignal(ending) != signal.SIG_IGN:  # as nohup has it
            signal.signal(ending, end)
    try:
        return run(sys.argv[1:], began)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except WrongUse as wrong:
        print(f"gpu: {wrong}", file=sys.stderr)
        return 2
    except Unusable as unusable:
        print(f"gpu: {unusable}", file=sys.stderr)
        return 1
    except OSError as refused:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what could not be printed is not tried again at the exit
        if isinstance(refused, BrokenPipeError):
            return 128 + signal.SIGPIPE
        print(f"gpu: {refusal(refused)}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
