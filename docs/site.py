# SPDX-License-Identifier: Apache-2.0
"""Makes the site: the documents as pages with a tree of contents, and the reference of the C interface beside them.

usage: site.py FOLDER [ROOT]     FOLDER/html/index.html is the first page; nothing is written elsewhere
                                 ROOT: another tree than the one of this script

Doxygen is the generator, because it also reads the header, renders Markdown and SVG, and is in Debian. Its version there
does not know the anchors that GitHub gives to headings, so each heading gets its label here, and each link its target.
Exit status 1, with what is wrong, if Doxygen warns, a link of the site leads nowhere, or a document has no page.
"""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent).resolve()
PAGES = [  # in the order of the tree; the first is the home page
    "README.md", "docs/install.md", "docs/async.md", "docs/python.md", "docs/cpp.md", "docs/rust.md", "docs/leases.md", "docs/documents.md", "docs/models.md", "docs/transactions.md", "docs/catalog.md", "docs/delta.md", "docs/lance.md", "docs/iceberg.md", "docs/performance.md", "docs/configuration.md", "docs/pipelines.md", "docs/credentials.md",
    "docs/operations.md", "docs/race.md", "docs/stores.md", "docs/history.md",
    "docs/protocol.md", "docs/rules.md", "docs/counterexamples.md", "docs/glossary.md", "API",
    "docs/verification.md", "docs/mutants.md", "docs/threat-model.md", "docs/architecture.md",
    "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]
API_PAGE = """# The C interface {#page_api}

<a href="api/oscommit_8h.html">oscommit.h</a>: conventions, types and functions.

<a href="api/oscommit__async_8h.html">oscommit_async.h</a>: the same calls, without waiting.

<a href="api/oscommit__lease_8h.html">oscommit_lease.h</a>: leases.

<a href="api/oscommit__delta_8h.html">oscommit_delta.h</a>: Delta tables.

<a href="api/oscommit__lance_8h.html">oscommit_lance.h</a>: Lance tables.

<a href="api/oscommit__document_8h.html">oscommit_document.h</a>: versioned documents.

<a href="api/oscommit__model_8h.html">oscommit_model.h</a>: typed rows, and transactions of them.
"""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+)(?:(?!\1).)+\1")


def label(page, anchor=""):
    name = "page_" + re.sub(r"[^a-z0-9]", "_", pathlib.PurePath(page).stem.lower())
    return name + ("--" + anchor if anchor else "")


def anchor_of(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")


class Page:
    def __init__(self, path):
        self.path = path
        self.folder = pathlib.PurePosixPath(path).parent

    def target(self, link):
        """The file that a link names, from the root of the project, and its anchor."""
        file, _, anchor = link.partition("#")
        if not file:
            return self.path, anchor
        parts = []
        for part in (self.folder / file).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        return "/".join(parts), anchor

    def link(self, match):
        picture, text, link = match.groups()
        if "://" in link or link.startswith("mailto:"):
            return match.group(0)
        file, anchor = self.target(link)
        if picture:
            return f"![{text}]({pathlib.PurePosixPath(file).name})"
        if file in PAGES:
            return f"[{text}](@ref {label(file, anchor)})"
        return text  # a file of the source that has no page

    def prose(self, line):
        """Links, but not in what is quoted as code. Between quotation marks Doxygen would not look for code."""
        quoted = []

        def keep(match):
            quoted.append(match.group(0))
            return f"\0{len(quoted) - 1}\0"

        line = LINK.sub(self.link, CODE.sub(keep, line)).replace('"', "&quot;")
        return re.sub("\0([0-9]+)\0", lambda match: quoted[int(match.group(1))], line)

    def heading(self, line, depth):
        """Not more than one deeper than the one before it: Doxygen knows no subsection outside of a section."""
        marks, _, text = line.partition(" ")
        name = label(self.path, "" if marks == "#" else anchor_of(text))
        return f"{marks[:depth + 1]} {self.prose(text)} {{#{name}}}"

    def render(self):
        lines, code, depth = [], False, 0
        for line in (ROOT / self.path).read_text(encoding="utf-8").split("\n"):
            if line.startswith("```"):
                code = not code
                lines.append(re.sub("^```(sh|json)$", "```", line))
            elif code:
                lines.append(line)
            elif re.match("#+ ", line):
                lines.append(self.heading(line, depth))
                depth = lines[-1].index(" ")
            else:
                lines.append(self.prose(line))
        return "\n".join(lines)


def doxygen(doxyfile, output, **settings):
    text = (ROOT / "docs" / doxyfile).read_text(encoding="utf-8")
    text += "".join(f"{name} = {value}\n" for name, value in {"OUTPUT_DIRECTORY": f'"{output}"', **settings}.items())
    run = subprocess.run(["doxygen", "-"], input=text, cwd=ROOT, capture_output=True, text=True, check=False)
    said = run.stderr.strip()
    return said.split("\n") if said else [] if run.returncode == 0 else [f"doxygen ended with {run.returncode}"]


class Links(html.parser.HTMLParser):
    """The targets and the anchors of one page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src", "data") and value:
                self.links.add(value)


def broken_links(folder):
    pages = {file: Links(file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                yield f"{file.relative_to(folder)} links to {link}, which is not there"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{file.relative_to(folder)} links to {link}: there is no such anchor"


def make(folder):
    markdown = folder / "markdown"
    for old in (markdown, folder / "html"):
        shutil.rmtree(old, ignore_errors=True)
    markdown.mkdir(parents=True)
    inputs = []
    for number, path in enumerate(PAGES):
        file = markdown / f"{number:02}-{pathlib.PurePath(path).stem.lower()}.md"
        file.write_text(API_PAGE if path == "API" else Page(path).render(), encoding="utf-8")
        inputs.append(f'"{file}"')
    pages = {str(file.relative_to(ROOT)) for file in (ROOT / "docs").glob("*.md")}
    wrong = [f"{page} is not in the list of pages" for page in sorted(pages - set(PAGES))]
    wrong += doxygen("Doxyfile.site", folder, INPUT=" ".join(inputs), IMAGE_PATH=f'"{ROOT / "docs/pictures"}"',
                    USE_MDFILE_AS_MAINPAGE=inputs[0], STRIP_FROM_PATH=f'"{markdown}"')
    wrong += doxygen("Doxyfile", folder, HTML_OUTPUT="html/api")
    return wrong + list(broken_links(folder / "html"))


def main():
    wrong = make(pathlib.Path(sys.argv[1]).resolve())
    for one in wrong:
        print(one)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
