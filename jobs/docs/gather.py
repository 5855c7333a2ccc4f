"""gather.py REPOSITORY OUT [--headers]: the repository's pages as the folder that mkdocs makes a site of, and its mkdocs.yml.

Pages keep their paths, so their links to each other stand. A link to a folder leads to its README.md, one to another file of the repository to a
copy of it. Links that lead nowhere, anchors that no heading has, and pages that pages.toml does not name are told, a line each; exit code 1 then.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)")
FENCE = re.compile(r"^ {0,3}(```|~~~)")
SETTINGS = """site_name: Plumbline
docs_dir: docs
site_dir: site
use_directory_urls: false
theme:
  name: material
  font: false
plugins: [search]
markdown_extensions: [tables, fenced_code, toc]
"""


def anchor(heading):
    """The anchor of a heading, as GitHub and Python-Markdown both make it of plain words."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", text.lower()).strip())


def prose(text):
    """Each line with whether it is prose; the others are code between fences."""
    inside = False
    for line in text.splitlines():
        fence = FENCE.match(line) is not None
        yield line, not (inside or fence)
        inside ^= fence


def anchors(page):
    return {anchor(line.lstrip("#")) for line, is_prose in prose(page.read_text()) if is_prose and re.match(r"#{1,6} ", line)}


def files_of(repository):
    """Paths of what git keeps or would keep; of an unpacked archive, of all but what is built."""
    words = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=repository, capture_output=True, text=True)
    if done.returncode == 0:
        return set(done.stdout.splitlines())
    paths = (path.relative_to(repository) for path in repository.rglob("*") if path.is_file())
    return {str(path) for path in paths if not path.parts[0].startswith((".", "build", "plumbline-out"))}


class Gathering:
    def __init__(self, repository, out):
        self.repository, self.docs = repository, out / "docs"
        self.pages = {name for name in files_of(repository) if name.endswith(".md")}
        self.wrong = []

    def target(self, page, link):
        """The link as it stands in the site."""
        path, _, name = link.partition("#")
        if re.match(r"[a-z]+:", link):
            return link
        here = pathlib.PurePosixPath(page)
        whole = (self.repository / here.parent / path).resolve() if path else self.repository / here
        if not whole.exists() or not whole.is_relative_to(self.repository):
            self.wrong.append(f"{page}: {link} leads nowhere")
            return link
        if whole.is_dir() and (whole / "README.md").exists():
            whole, path = whole / "README.md", path.rstrip("/") + "/README.md"
        if name and whole.suffix == ".md" and name not in anchors(whole):
            self.wrong.append(f"{page}: {link}: no heading has this anchor")
        if whole.is_file() and whole.suffix != ".md":
            self.copy(whole)
        return None if whole.is_dir() else path + ("#" + name if name else "")

    def copy(self, file):
        place = self.docs / file.relative_to(self.repository)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)

    def linked(self, page, line):
        def one(match):
            link = self.target(page, match[2])
            return match[1][1:-1] if link is None else f"{match[1]}({link})"

        return LINK.sub(one, line)

    def write(self, page):
        text = (self.repository / page).read_text()
        place = self.docs / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(self.linked(page, line) if is_prose else line for line, is_prose in prose(text)) + "\n")

    def title(self, page):
        return re.search(r"^# (.*)$", (self.repository / page).read_text(), re.MULTILINE)[1].replace("`", "")

    def navigation(self, sections):
        lines = ["nav:"]
        for section in sections:
            lines.append(f"  - {section['title']}:")
            lines += [f"      - {self.title(page)!r}: {page}" for page in section["pages"]]
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("out", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--headers", action="store_true", help="the site has doxygen's pages in headers/")
    options = parser.parse_args()
    gathering = Gathering(options.repository, options.out)
    sections = tomllib.loads((options.repository / "jobs/docs/pages.toml").read_text())["section"]
    named = [page for section in sections for page in section["pages"]]
    gathering.wrong += [f"{page} stands in no section of jobs/docs/pages.toml" for page in sorted(gathering.pages - set(named))]
    gathering.wrong += [f"jobs/docs/pages.toml names {page}, which there is not" for page in named if page not in gathering.pages]
    for page in sorted(gathering.pages):
        gathering.write(page)
    navigation = gathering.navigation([section | {"pages": [page for page in section["pages"] if page in gathering.pages]} for section in sections])
    if options.headers:
        (gathering.docs / "headers.md").write_text("# Installed headers\n\n[Doxygen's pages](headers/index.html) of what `cmake --install` lays down under `include/`.\n")
        navigation += "  - Installed headers: headers.md\n"
    (options.out / "mkdocs.yml").write_text(SETTINGS + navigation)
    for line in gathering.wrong:
        print(line, file=sys.stderr)
    return 1 if gathering.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
