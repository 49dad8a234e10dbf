# SPDX-License-Identifier: Apache-2.0
"""One page of a manual, in the macros of man(7), as groff and mandoc both read them."""
import re
import textwrap

WORD = re.compile(r"`([^`]+)`|\b(os_\w+|OS_[A-Z]\w*|ERR_[A-Z_]+|COMMITTED|CONFLICT|NOT_EXECUTED|UNKNOWN)\b")
LICENCE = '.\\" SPDX-License-Identifier: Apache-2.0'


def escaped(text):
    """Text as it stands: for roff, a backslash begins a command, and a bare hyphen or quote becomes another character."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti").replace("`", "\\(ga")


def lines_of(text):
    """A paragraph as lines, one for each sentence; none begins as a command does."""
    for sentence in re.split(r"(?<=[.!?:])(?<!\.\.\.)(?<!e\.g\.) (?=[A-Z\\\"`(])", " ".join(text.split())):
        for line in textwrap.wrap(sentence, 76, break_long_words=False, break_on_hyphens=False):
            yield "\\&" + line if line[0] in ".'" else line


class Page:
    def __init__(self, name, date, version, title, known):
        self.name, self.known = name, known
        self.lines = [LICENCE, f'.TH {name.upper()} 3 {date} "oscommit {version}" "Library Functions Manual"', ".nh", ".ad l", ".SH NAME",
                      f"{name} \\- {escaped(title.replace('`', ''))}"]
        self.fresh = True  # a heading is just above

    def section(self, title):
        self.lines.append(f".SH {quoted(title)}")
        self.fresh = True

    def subsection(self, title):
        self.lines.append(f".SS {quoted(title)}")
        self.fresh = True

    def styled(self, text):
        """Names of the interface and what stands between backticks, in bold; functions with their section."""
        def style(match):
            code, name = match.groups()
            if code:
                return f"\\fB{escaped(code)}\\fR"
            member = re.match(r"\.[a-z]", text[match.end():])
            section = "(3)" if name in self.known and name != self.name and not member else ""
            return f"\\fB{escaped(name)}\\fR{section}"

        parts, end = [], 0
        for match in WORD.finditer(text):
            parts += [escaped(text[end:match.start()]), style(match)]
            end = match.end()
        return "".join(parts + [escaped(text[end:])])

    def flow(self, text):
        self.lines += lines_of(self.styled(text))
        self.fresh = False

    def text(self, text):
        if not self.fresh:
            self.lines.append(".PP")
        self.flow(text)

    def blocks(self, blocks):
        for block in blocks:
            if block.kind == "item":
                self.entry(block.label, block.text)
            elif block.kind == "bullet":
                self.lines.append(".IP \\(bu 2")
                self.flow(block.text)
            elif block.kind == "inset":
                self.lines += [".RS 4", ".PP"]
                self.flow(block.text)
                self.lines.append(".RE")
            elif re.fullmatch(r"[A-Z]+", block.text):
                self.subsection(block.text.capitalize())
            else:
                self.text(block.text)

    def entry(self, tags, said, linked=False):
        """A tag, or several, and what is said of them: text, or the blocks of a comment."""
        for number, tag in enumerate([tags] if isinstance(tags, str) else tags):
            self.lines += [".TP" if number == 0 else ".TQ", f"\\fB{escaped(tag)}\\fR" + ("(3)" if linked else "")]
        blocks = [said] if isinstance(said, str) else [block.text for block in said]
        blocks = [text for text in blocks if text] or ["See above."]
        for number, text in enumerate(blocks):
            if number:
                self.lines.append(".IP")
            text = text[0].upper() + text[1:] if re.match(r"[a-z]+[ ,;:]", text) else text
            self.flow(text if text[-1] in ".:!?)" else text + ".")

    def code(self, lines):
        if not self.fresh:
            self.lines.append(".PP")
        while lines and not lines[-1]:
            lines = lines[:-1]
        self.lines += [".nf", *("\\&" + escaped(line) if line else ".sp" for line in lines), ".fi"]
        self.fresh = False

    def prototype(self, declaration):
        """The name in bold, the parameters in italics, as manuals have it."""
        head, _, rest = " ".join(declaration.split()).partition("(")
        given = [re.sub(r"(\w+)((?:\[\w+\])?)$", r"\\fI\1\\fB\2", escaped(one.strip())) for one in rest.rstrip(";").rstrip(")").split(",")]
        if given == ["\\fIvoid\\fB"]:
            given = ["void"]
        lines, line = [], escaped(head) + "("
        indent = len(line)
        for number, one in enumerate(given):
            one += ");" if number == len(given) - 1 else ", "
            if len(re.sub(r"\\f.|\\", "", line + one)) > 78 and line.strip():
                lines.append(line.rstrip())
                line = " " * min(indent, 24)
            line += one
        self.lines += [".PP", ".nf", *(f"\\fB{part}\\fR" for part in [*lines, line]), ".fi"]
        self.fresh = False

    def see_also(self, names, header, others=()):
        self.section("SEE ALSO")
        listed = [f".BR {escaped(name)} (3)" for name in [*names, *([header] if header else [])]]
        for other in others:
            name, _, section = other.partition("(")
            listed.append(f".BR {escaped(name)} ({section}")
        self.lines += [line + ("" if line == listed[-1] else " ,") for line in listed]

    def finish(self):
        return "\n".join(self.lines) + "\n"


def quoted(title):
    return f'"{escaped(title)}"' if " " in title else escaped(title)
