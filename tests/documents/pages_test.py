"""The pages: no link leads nowhere, each stands in the site's navigation, and mkdocs has no complaint about the site."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GATHER = ROOT / "jobs/docs/gather.py"


def gather(repository, out):
    return subprocess.run([sys.executable, GATHER, repository, out], capture_output=True, text=True, timeout=60)


def repository(folder, pages, sections):
    """A repository of these pages."""
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "jobs/docs").mkdir(parents=True)
    (folder / "jobs/docs/pages.toml").write_text(f'[[section]]\ntitle = "All"\npages = {json.dumps(sections)}\n')
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def test_the_pages_of_this_repository(tmp_path):
    done = gather(ROOT, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "docs/README.md").exists() and "Night after night" in (tmp_path / "mkdocs.yml").read_text()


def test_what_is_wrong_is_told(tmp_path):
    pages = {
        "README.md": "# One\n[gone](gone.md) [page](a/two.md#no-such) [right](a/two.md#the-second-part) [folder](a) [code](a/code.cpp)\n```\n[in code](is.no.link)\n```\n",
        "a/two.md": "# Two\n## The `second` part\n",
        "a/three.md": "# Three\n",
        "a/code.cpp": "int x;\n",
    }
    done = gather(repository(tmp_path / "repository", pages, ["README.md", "a/two.md", "lost.md"]), tmp_path / "out")
    assert done.returncode == 1
    assert set(done.stderr.splitlines()) == {
        "README.md: gone.md leads nowhere",
        "README.md: a/two.md#no-such: no heading has this anchor",
        "a/three.md stands in no section of jobs/docs/pages.toml",
        "jobs/docs/pages.toml names lost.md, which there is not",
    }
    text = (tmp_path / "out/docs/README.md").read_text()
    assert " folder " in text and "[code](a/code.cpp)" in text and (tmp_path / "out/docs/a/code.cpp").exists()


def test_a_site_with_search_is_made_of_them(tmp_path):
    done = subprocess.run(["bash", ROOT / "jobs/docs.sh", tmp_path / "site"], capture_output=True, text=True, timeout=120)
    if done.returncode == 2 and "mkdocs-material" in done.stderr:
        pytest.skip("mkdocs with its Material theme is not installed")
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site/site"
    found = {entry["location"] for entry in json.loads((site / "search/search_index.json").read_text())["docs"] if "write-allocate" in entry["text"].lower()}
    assert any(place.startswith("harness/glossary.html") for place in found)
    if shutil.which("doxygen"):
        assert done.stderr == "" and "Work" in (site / "headers/annotated.html").read_text()
    else:
        assert "without doxygen" in done.stderr
