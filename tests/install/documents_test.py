"""Manual page and completion, made by the program of its own commands: bash completes with it, man finds nothing to warn of."""

import re
import shutil
import subprocess

import pytest
from conftest import SOURCE


def complete(installation, folder, line):
    """The words that bash offers at the end of the line, with the installed completion."""
    script = f"""
      source "{installation.prefix}/share/bash-completion/completions/plumbline"
      read -r -a COMP_WORDS <<<'{line}|'
      COMP_WORDS[-1]=${{COMP_WORDS[-1]%|}}
      COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
      complete -p plumbline >/dev/null && _plumbline && printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return set(installation.run("bash", "-c", script, folder=folder).split())


def commands(installation, folder, *above):
    text = installation.run("plumbline", *above, "--help", folder=folder)
    return re.findall(r"^  ([a-z]+) ", text.split("Subcommands:\n")[1], re.MULTILINE) if "Subcommands:" in text else []


def options(installation, folder, *command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", installation.run("plumbline", *command, "--help", folder=folder).split("Options:\n")[1].split("Subcommands:")[0]))


def test_every_command_is_offered_and_every_option_of_each(installation, tmp_path):
    assert complete(installation, tmp_path, "plumbline ") >= set(commands(installation, tmp_path))
    assert complete(installation, tmp_path, "plumbline baseline ") == {"accept", "-h", "--help"}
    assert complete(installation, tmp_path, "plumbline li") == {"list"}
    for command in commands(installation, tmp_path):
        offered = complete(installation, tmp_path, f"plumbline {command} --")
        own = {line for line in offered if line.startswith("--")}
        assert own and own <= options(installation, tmp_path, command) | {"--help"}, (command, own)


def test_values_are_offered_where_they_belong(installation, tmp_path):
    (tmp_path / "night.toml").write_text("")
    assert complete(installation, tmp_path, "plumbline run ni") == {"night.toml"}
    assert complete(installation, tmp_path, "plumbline run night.toml -o ni") == {"night.toml"}
    assert "node" in complete(installation, tmp_path, "plumbline slurm night.toml --kind n")
    assert "night.toml" not in complete(installation, tmp_path, "plumbline doctor ")
    assert "night.toml" in complete(installation, tmp_path, "plumbline profile --count-only -- ni")
    assert complete(installation, tmp_path, "plumbline completion b") == {"bash"}


def test_the_manual_names_every_command_and_groff_has_no_complaint(installation, tmp_path):
    page = installation.prefix / "share/man/man1/plumbline.1"
    sections = re.findall(r"^\.SS (.*)$", page.read_text(), re.MULTILINE)
    for command in commands(installation, tmp_path):
        assert f"plumbline {command}" in sections
    assert "plumbline baseline accept" in sections and not any("worker" in one for one in sections)
    if not shutil.which("groff"):
        pytest.skip("groff is not installed: the page was not set")
    done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_of_commands_is_what_the_program_says(installation, tmp_path):
    said = installation.run("plumbline", "manual", "--markdown", folder=tmp_path)
    assert said == (SOURCE / "jobs/commands.md").read_text(), "the page is old: build/bin/plumbline manual --markdown > jobs/commands.md"
    for command in commands(installation, tmp_path):
        assert f"\n## plumbline {command}\n" in said


def test_a_program_of_another_name_completes_its_own(installation, tmp_path):
    (tmp_path / "my-prog").symlink_to(installation.prefix / "bin/plumbline")
    script = "source <(./my-prog completion bash) && COMP_WORDS=(my-prog li) && COMP_CWORD=1 && complete -p my-prog && _my_prog && echo ${COMPREPLY[@]}"
    assert installation.run("bash", "-c", script, folder=tmp_path).splitlines() == ["complete -o filenames -F _my_prog my-prog", "list"]
