# SPDX-License-Identifier: Apache-2.0
"""Reads a public header: its functions, types and constants, each with the comment that stands in front of it or behind it.

A comment that a blank line parts from what follows is said of the rest of its section, or of the next N functions where it
begins with "The next N". So is what a heading (/* ------ title) says below its title.
"""
import dataclasses
import pathlib
import re

COUNTS = {word: count for count, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
CODE = (r"(?:OS_)?[A-Z][A-Z_]{3,}(?: \([^()]*\))?|any other code|UNKNOWN again|OS_OK")
ITEM = re.compile(rf"((?:{CODE})(?:, (?:{CODE}))*(?: \.\.\.)?)(?:  +(.*)|)$")


@dataclasses.dataclass
class Block:
    """Part of a comment. kind: "text", "item" (of a code, which `label` has), "bullet" or "inset"."""
    kind: str
    text: str
    label: str = ""
    indent: int = 0


@dataclasses.dataclass
class Member:
    declaration: str
    blocks: list
    group: list = dataclasses.field(default_factory=list)  # what is said of this and those behind it


@dataclasses.dataclass
class Item:
    """What the header declares. kind: "function", "callback", "struct", "enum", "type" or "constant"."""
    kind: str
    name: str
    declaration: str
    blocks: list
    header: str
    section: str
    notes: list = dataclasses.field(default_factory=list)
    members: list = dataclasses.field(default_factory=list)
    macros: list = dataclasses.field(default_factory=list)


def comment_lines(comment):
    """What stands in a comment, without its stars; the indentation is kept."""
    body = re.sub(r"\s*\*/$", "", comment.strip())[2:]
    return [re.sub(r"^\s*\* ?", "", line) if number else line.strip() for number, line in enumerate(body.split("\n"))]


def next_block(line, blocks, hanging):
    """The block that a line begins, or None if it goes on with the last one."""
    text = line.strip()
    indent = len(line) - len(line.lstrip())
    last = blocks[-1] if blocks and blocks[-1].text != "\n" else None
    item = ITEM.match(text) if indent >= 2 else None
    if item:
        return Block("item", item.group(2) or "", item.group(1), indent)
    if indent and text.startswith("- "):
        return Block("bullet", text[2:], indent=indent)
    if last and indent > last.indent and (last.kind != "text" or hanging):
        return None
    if last and last.kind == "text" and (indent == last.indent or (hanging and indent == 2)):
        return None
    return Block("inset" if indent and not hanging else "text", text, indent=indent if not hanging else 0)


def blocks_of(comment, hanging=False):
    """The blocks of a comment. hanging: paragraphs are indented from their second line on, as in the first comment of a header."""
    blocks = []
    for line in comment_lines(comment):
        if not line.strip():
            blocks.append(Block("text", "\n"))
            continue
        block = next_block(line, blocks, hanging)
        if block:
            blocks.append(block)
        else:
            blocks[-1].text += (" " if blocks[-1].text else "") + line.strip()
    return [block for block in blocks if block.text != "\n"]


def without_cplusplus(text):
    """Of what the preprocessor chooses, what a program in C sees that is not the library itself."""
    text = re.sub(r"^#(?:ifdef __cplusplus|if defined\(OSCOMMIT_BUILDING\)[^\n]*)\n(.*?)^#endif\n", kept_branch, text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^#(?:ifndef|include|undef|endif|define OSCOMMIT_\w+$).*\n", "", text, flags=re.MULTILINE)


def kept_branch(match):
    return match.group(1).partition("#else\n")[2]


TOKEN = re.compile(r"""(?P<blank>\n[ ]*\n)|(?P<comment>/\*.*?\*/)|(?P<macro>\#define[ ](?:[^\n]*\\\n)*(?:(?!/\*)[^\n])*)
                   |(?P<declaration>(?:OS_API|typedef)\b(?:\{(?:/\*.*?\*/|[^}])*\}|[^;{])*;)|(?P<other>.)""", re.VERBOSE | re.DOTALL)


class Header:
    def __init__(self, path):
        self.name = pathlib.Path(path).name
        text = without_cplusplus(pathlib.Path(path).read_text(encoding="utf-8").partition("\n")[2])
        first = re.match(r"/\*.*?\*/", text, re.DOTALL)
        self.blocks = blocks_of(first.group(), hanging=True)
        self.items = []
        self.section = ""
        self.notes = []  # each: [blocks, how many functions it is still of, or None: all of the section]
        self.read(text[first.end():])

    def read(self, text):
        comment = last = None
        for token in TOKEN.finditer(text):
            kind, body = token.lastgroup, token.group()
            if kind == "blank":
                self.note(comment)
                comment = last = None
            elif kind == "other":
                last = None if body == "\n" else last
            elif kind == "comment" and body.startswith("/* ---"):
                self.begin_section(body)
            elif kind == "comment" and last:
                last.blocks += blocks_of(body)
            elif kind == "comment":
                comment = body
            else:
                last = self.declare(kind, body, comment)
                comment = None

    def begin_section(self, comment):
        heading, *rest = comment_lines(comment)
        self.section = heading.strip("- ")
        self.notes = []
        if rest:
            self.note("/* " + "\n".join(["", *rest]) + " */")

    def note(self, comment):
        if comment:
            blocks = blocks_of(comment)
            count = re.match(r"The next (\w+)", blocks[0].text)
            self.notes.append([blocks, COUNTS[count.group(1)] if count else None])

    def declare(self, kind, text, comment):
        blocks = blocks_of(comment) if comment else []
        if kind == "macro":
            return self.declare_macro(text, blocks)
        name = re.search(r"(\w+)(?:\)?\([^{}]*\))?;$", text, re.DOTALL).group(1)
        if text.startswith("OS_API"):
            item = Item("function", name, text[len("OS_API "):], blocks, self.name, self.section, self.taken_notes())
        elif "{" in text:
            item = Item(text.split()[1], name, text, blocks, self.name, self.section, members=members_of(text))
        else:
            kind = "callback" if "(*" in text else "type"
            item = Item(kind, re.search(r"\(\*(\w+)\)", text).group(1) if kind == "callback" else name, text, blocks, self.name, self.section)
        self.items.append(item)
        return item

    def declare_macro(self, text, blocks):
        """A constant; or how a struct is initialised, which belongs to the struct."""
        name = re.match(r"#define (\w+)", text).group(1)
        if name.endswith("_") or name == "OS_API":
            return None
        struct = next((item for item in reversed(self.items) if item.kind == "struct"), None)
        if struct and (name == struct.name.upper() + "_INIT" or name.startswith(struct.name.upper() + "_")) and name.startswith("OS_"):
            struct.macros.append(re.match(r"#define (\w+(?:\([^)]*\))?)", text).group(1))
            return None
        self.items.append(Item("constant", name, text, blocks, self.name, self.section))
        return self.items[-1]

    def taken_notes(self):
        taken = []
        for note in self.notes:
            if note[1] != 0:
                taken += note[0]
            if note[1]:
                note[1] -= 1
        return taken


PART = re.compile(r"(?P<blank>\n[ ]*\n)|(?P<comment>/\*.*?\*/)|(?P<member>[^\s/;,{}][^;,{}/]*(?:[;,]|(?=\s*/\*|\s*$)))|(?P<line>\n)|.", re.DOTALL)


def members_of(declaration):
    """The members of a struct or an enum. A comment is of the member in whose line it begins, or of all behind it up to a
    blank line."""
    members, group, last = [], [], None
    body = declaration[declaration.index("{") + 1:declaration.rindex("}")]
    for part in PART.finditer(body):
        if part.lastgroup == "member":
            last = Member(" ".join(part.group().rstrip(";, ").split()), [], group)
            members.append(last)
            group = []
        elif part.lastgroup == "comment" and last:
            last.blocks += blocks_of(part.group())
        elif part.lastgroup == "comment":
            group = group + blocks_of(part.group())
        elif part.lastgroup in ("line", "blank"):
            last = None
    return members
