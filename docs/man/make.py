# SPDX-License-Identifier: Apache-2.0
"""Makes the manual of the C interface, section 3, from the comments of the public headers: a page for each function and each
type that has something to say, and one for each header, with its conventions and what is in it.

usage: make.py ROOT FOLDER [--gzip] [--examples FOLDER]    FOLDER: gets the pages; others in it are removed
    --gzip      pages are compressed, always to the same bytes (Debian Policy, 12.1)
    --examples  where the pages say that the examples are installed
SOURCE_DATE_EPOCH is the date on the pages [today].
"""
import argparse
import datetime
import gzip
import os
import pathlib
import re
import textwrap

import header
import roff

MAIN = "oscommit.h"
SHOWN = {"os_put_if_absent": "publish.c", "os_update": "counter.c", "os_start_put_if_absent": "chain.c", "os_queue_take": "many.c",
         "os_client_step": "epoll.c"}  # an example that stands in the page as a whole
VERDICTS = ["COMMITTED", "CONFLICT", "NOT_EXECUTED", "UNKNOWN"]
PLAIN = {"function": "a function", "callback": "a function of the caller", "struct": "a struct", "enum": "a choice", "type": "a type"}


def summary(item):
    """The first sentence without what explains it: for the line that whatis(1) shows."""
    text = item.blocks[0].text if item.blocks and item.blocks[0].kind == "text" else ""
    text = re.split(r"[.:;](?: |$)", re.sub(r" \([^()]*\)", "", text))[0]
    if not text:
        return f"{PLAIN[item.kind]} of {item.header}"
    return text if re.match(r"[A-Z][A-Z_]|`", text) else text[0].lower() + text[1:]


class Manual:
    def __init__(self, root, examples):
        names = sorted((path.name for path in (root / "include").glob("*.h")), key=lambda name: (name != MAIN, name))
        self.headers = [header.Header(root / "include" / name) for name in names]
        self.items = {item.name: item for one in self.headers for item in one.items}
        self.examples = {path.name: path.read_text(encoding="utf-8") for path in sorted((root / "examples").glob("*.c"))}
        self.examples_folder = examples
        version = re.findall(r"#define OS_VERSION_\w+ (\d+)", (root / "include" / MAIN).read_text(encoding="utf-8"))
        self.version = ".".join(version)
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
        self.date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date().isoformat()
        self.conventions = {block.label[3:]: block.text for block in self.headers[0].blocks if block.label[3:] in VERDICTS}
        self.codes = dict(re.findall(r'X\((\w+), \d+, "([^"]*)"\)', self.items["OS_CODE_LIST"].declaration))

    def has_page(self, item):
        return item.kind != "constant" and (item.kind == "function" or bool(item.blocks or item.members or item.kind == "callback"))

    def page(self, name, title):
        return roff.Page(name, self.date, self.version, title, {item.name for item in self.items.values() if self.has_page(item)})

    def pages(self):
        for item in self.items.values():
            if self.has_page(item):
                yield item.name, self.function(item) if item.kind == "function" else self.type(item)
        for one in self.headers:
            yield one.name[:-2], self.overview(one)

    # ------------------------------------------------------------------------------------------------- functions

    def function(self, item):
        page = self.page(item.name, summary(item))
        page.section("SYNOPSIS")
        page.code([f"#include <{item.header}>"])
        page.prototype(item.declaration)
        page.text("Link with -loscommit (pkg-config oscommit).")
        page.section("DESCRIPTION")
        returned = item.declaration.split()[0]
        own, of_codes = split(item.blocks)
        page.blocks(own)
        notes, of_notes = split(item.notes)
        if notes:
            page.subsection(item.section.capitalize())
            page.blocks(notes)
        errors = self.returns(page, item, returned, of_codes)
        if returned == "os_verdict" and item.header == MAIN:
            errors += of_notes
        self.errors(page, item, returned, errors)
        self.example(page, item)
        self.see_also(page, item)
        return page.finish()

    def returns(self, page, item, returned, blocks):
        """Writes RETURN VALUE; gives what belongs to ERRORS."""
        if returned == "void" and "*" not in item.declaration.split("(")[0]:
            return []
        good = [block for block in blocks if block.label.startswith("OS_OK") or block.label.split(",")[0].split()[0] in VERDICTS]
        page.section("RETURN VALUE")
        if returned == "os_verdict" and not item.name.startswith("os_operation"):
            page.text("The verdict: what became of the write.")
            for verdict in VERDICTS:
                page.entry("OS_" + verdict, self.conventions[verdict])
            if good:
                page.text("Of this function:")
        elif returned == "os_code":
            after = " The message of err then says what failed." if "os_error *err" in item.declaration else ""
            page.text("OS_OK (0), or another os_code." + after)
        else:
            page.text(said_of_return(item))
        page.blocks(good)
        return [block for block in blocks if block not in good]

    def errors(self, page, item, returned, blocks):
        if returned not in ("os_code", "os_verdict") or "os_error *err" not in item.declaration:
            return
        page.section("ERRORS")
        page.blocks(blocks)
        named = set(re.findall(r"\b(?:OS_)?(ERR_\w+)", " ".join(block.label + " " for block in blocks)))
        said = " ".join(block.text for block in item.blocks if block not in blocks)
        for code in sorted(set(re.findall(r"\b(?:OS_)?(ERR_[A-Z_]+)", said)) - named):
            page.entry("OS_" + code, upper_first(self.codes[code]) + ": see above.")
        page.text(("What else can fail has a code of os_code, too. " if blocks else "") +
                  "The message of err says what failed, on which object, what the service said, and what to do.")

    def example(self, page, item):
        calling = [name for name, text in self.examples.items() if re.search(rf"\b{item.name}\(", text)]
        if not calling:
            return
        page.section("EXAMPLES")
        shown = SHOWN.get(item.name)
        if shown:
            page.code(self.examples[shown].split("\n")[1:])
        others = [name for name in calling if name != shown]
        if others:
            page.text(f"{'Also see' if shown else 'See'} {', '.join(others)} in {self.examples_folder}.")

    def see_also(self, page, item):
        said = [item.declaration] + [block.label + " " + block.text for block in item.blocks]
        said += [member.declaration for member in item.members]
        names = {word for word in re.findall(r"\bos_\w+", " ".join(said)) if word in page.known and word != item.name}
        if item.kind != "function":
            names |= {other.name for other in self.items.values() if other.kind == "function" and re.search(rf"\b{item.name}\b", other.declaration)}
        names |= {"os_code"} if re.match(r"os_(code|verdict) ", item.declaration) and item.name != "os_code" else set()
        page.see_also(sorted(names), item.header[:-2])

    # ------------------------------------------------------------------------------------------ types and headers

    def type(self, item):
        page = self.page(item.name, summary(item))
        page.section("SYNOPSIS")
        declared = item.declaration
        if item.name == "os_code":
            declared = re.sub(r"\n.*\n", "\n" + "".join(f"    OS_{name},\n" for name in self.codes), declared, flags=re.DOTALL)
        page.code([f"#include <{item.header}>", ""] + without_comments(declared))
        page.section("DESCRIPTION")
        page.blocks(item.blocks or [header.Block("text", f"{PLAIN[item.kind].capitalize()} of the functions below.")])
        if item.name == "os_code":
            for name, text in self.codes.items():
                page.entry("OS_" + name, upper_first(text))
        elif item.members:
            self.members(page, item)
        for macro in item.macros:
            page.text(f"{macro} is its initialiser.")
        self.see_also(page, item)
        return page.finish()

    def members(self, page, item):
        members = [member for member in item.members if member.declaration != "size_t size"]
        if len(members) < len(item.members):
            page.text(f"size is sizeof({item.name}).")
        for member in members:
            said = [*member.group, *member.blocks]
            if said:
                page.entry(member.declaration, said)

    def overview(self, one):
        title = re.split(r"\.(?: |$)", one.blocks[0].text)[0].removeprefix("oscommit: ")
        page = self.page(one.name[:-2], title if one.name == MAIN else title[0].lower() + title[1:])
        page.section("SYNOPSIS")
        page.code([f"#include <{one.name}>"])
        page.text("Link with -loscommit (pkg-config oscommit).")
        page.section("DESCRIPTION")
        page.blocks(one.blocks)
        sections = dict.fromkeys(item.section for item in one.items)
        for section in sections:
            items = [item for item in one.items if item.section == section]
            page.section((section or "functions and types").upper())
            for item in items:
                if item.kind == "constant" and item.name != "OS_CODE_LIST":
                    page.entry(" ".join(item.declaration.split()[1:]), item.blocks or "A constant.")
                elif self.has_page(item):
                    page.entry(item.name, upper_first(summary(item)), linked=True)
        page.see_also([], "", ["oscommit(1)"] + [f"{other.name[:-2]}(3)" for other in self.headers if other is not one])
        return page.finish()


def split(blocks):
    """Prose, and what is said of codes. A sentence that ends in a colon stays with the codes behind it."""
    prose, codes = [], []
    for number, block in enumerate(blocks):
        following = blocks[number + 1] if number + 1 < len(blocks) else None
        if block.kind == "text" and block.text.endswith(":") and following and following.kind == "item":
            before, _, leading = block.text.rpartition(". ")
            prose += [header.Block("text", before + ".")] if before else []
            codes.append(header.Block("text", leading))
        else:
            (codes if block.kind == "item" else prose).append(block)
    return prose, codes


def said_of_return(item):
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z`])", " ".join(block.text for block in item.blocks if block.kind == "text"))
    said = [sentence for sentence in sentences if re.match(r"Returns?\b|-1|0:", sentence)]
    return " ".join(said) or sentences[0]


def upper_first(text):
    return text[:1].upper() + text[1:]


def without_comments(declaration):
    text = re.sub(r"[ ]*/\*.*?\*/", "", declaration, flags=re.DOTALL)
    lines = [line.rstrip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) > 1:
        return lines
    whole = textwrap.wrap(lines[0].replace(" *", "\0*"), 76, subsequent_indent="    ", break_long_words=False)
    return [line.replace("\0", " ") for line in whole]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gzip", action="store_true")
    parser.add_argument("--examples", default="/usr/share/doc/oscommit/examples")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for old in args.folder.glob("*.3*"):
        old.unlink()
    for name, text in Manual(args.root, args.examples).pages():
        data = text.encode()
        if args.gzip:
            data = gzip.compress(data, 9, mtime=0)
        (args.folder / (name + (".3.gz" if args.gzip else ".3"))).write_bytes(data)


if __name__ == "__main__":
    main()
