#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds functions with too many parameters and structs with too many fields.

A field of a struct inside a struct counts as one of the outer. Public functions (os_...) are as callers know them.

usage: shapes.py PARAMETERS FIELDS FILE...
Prints one line for each violation.
"""
import re
import sys

FUNCTION = re.compile(r"^(?:\w[\w \t*]*?[ \t*])(\w+)\(([^;{}]*?)\)\s*\{", re.MULTILINE)
STRUCT = re.compile(r"^(?:typedef )?(struct|union) (\w+) \{", re.MULTILINE)


def blank(match):
    """As many lines as what is taken out."""
    return re.sub(r"[^\n]", " ", match.group())


def code_of(path):
    """The text without comments, strings, attributes and lines of the preprocessor."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.DOTALL)
    text = re.sub(r"__attribute__\(\(.*?\)\) ", "", text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def commas_outside(text):
    """The commas that stand in no brackets."""
    depth = count = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        count += character == "," and depth == 0
    return count


def parameters(text):
    return 0 if text.strip() in ("", "void") else commas_outside(text) + 1


def closing(text, start):
    """Where the brace is closed that is opened before `start`."""
    depth = 1
    for position in range(start, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0:
            return position
    return len(text)


def fields(body):
    """Of nested structs and unions, what they hold; of an enum inside, its member alone."""
    body = re.sub(r"\benum\b[^;{}]*\{[^{}]*\}", "enum", body)
    body = re.sub(r"\b(?:struct|union)(?:\s+\w+)?\s*\{", "{", body)
    body = re.sub(r"\}[^;{}]*;", "}", body)
    return sum(commas_outside(member) + 1 for member in re.split(r"[;{}]", body) if member.strip())


def shapes(text):
    """(position, what it is, how many of what)"""
    for match in FUNCTION.finditer(text):
        if not match.group(1).startswith("os_"):
            yield match.start(), match.group(1), parameters(match.group(2)), "parameters"
    for match in STRUCT.finditer(text):
        body = text[match.end() : closing(text, match.end())]
        yield match.start(), " ".join(match.groups()), fields(body), "fields"


def main(most_parameters, most_fields, *paths):
    most = {"parameters": int(most_parameters), "fields": int(most_fields)}
    for path in paths:
        text = code_of(path)
        for position, what, count, of_what in shapes(text):
            line = text.count("\n", 0, position) + 1
            if count > most[of_what]:
                print(f"{path}:{line}: {what} has {count} {of_what}, more than {most[of_what]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
