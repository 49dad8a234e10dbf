#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the documents: each NAME.txt of this folder becomes NAME.svg.

  draw.py            draws all
  draw.py --check    says which SVG is not what its text gives, and ends with 1 if there is one

A source begins with "kind:", "title:" and "width:". Lines with # are comments. What follows depends on the kind:

  sequence   actor NAME | what it is
             A -> B: text     a request           A --> B: text    an answer
             A -x B: text     what never arrives  at A: text       what A does    == text    a heading
  timeline   scale FROM TO STEP UNIT
             lane NAME | what it is               bar FROM TO COLOUR: text        point AT: text    (of the lane before)
             mark AT: text                        a line through all lanes
  boxes      columns: WIDTH ...    gaps: WIDTH ...    head COLUMN: text
             box NAME COLUMN ROW COLOUR [ROWS]: title | line | line ...
             link A B [over|under] [+-SHIFT]: label    by right angles; over, under: around all boxes; SHIFT: beside the middle
  layers     layer COLOUR: NAME, text | NAME, text          from above
             side FIRST LAST COLOUR: NAME, text             beside the layers FIRST to LAST, counted from above
             under: text
"""
import argparse
import pathlib
import re
import sys

from canvas import LINE, SIZE, SMALL, Canvas, TooLarge, wrapped

FOLDER = pathlib.Path(__file__).resolve().parent
EDGE = 20  # between the picture's edge and what is in it
INSIDE = 10  # between a box's edge and its text


def fail(line):
    raise ValueError(f'"{line}" is not understood.')


def match(pattern, line):
    return re.fullmatch(pattern, line) or fail(line)


# ------------------------------------------------------------------------------------------------------- sequence


def draw_sequence(canvas, body):
    actors = [match(r"actor (\w+) \| (.+)", line).groups() for line in body if line.startswith("actor ")]
    step = (canvas.width - 2 * EDGE) / len(actors)
    at = {name: EDGE + step * (index + 0.5) for index, (name, _) in enumerate(actors)}
    for name, what in actors:
        canvas.rect(at[name] - step / 2 + 8, EDGE, step - 16, 46, "blue")
        canvas.text(at[name], EDGE + 19, name, SIZE, True, "middle")
        canvas.text(at[name], EDGE + 37, what, SMALL, False, "middle", "faint")
    begin = len(canvas.parts)
    y = EDGE + 62
    for line in body:
        if not line.startswith("actor "):
            y = draw_step(canvas, line, at, step, y)
    lifelines = Canvas(canvas.width, "")
    for x in at.values():
        lifelines.line([(x, EDGE + 46), (x, y)], True)
    canvas.parts[begin:begin] = lifelines.parts  # below everything else


def draw_step(canvas, line, at, step, y):
    if line.startswith("== "):
        return draw_heading(canvas, line[3:], y)
    if line.startswith("at "):
        return draw_note(canvas, *match(r"at (\w+): (.+)", line).groups(), at, step, y)
    return draw_message(canvas, match(r"(\w+) (-->|->|-x) (\w+): (.+)", line).groups(), at, y)


def draw_heading(canvas, text, y):
    canvas.rect(EDGE, y + 6, canvas.width - 2 * EDGE, 26, "grey", 4)
    canvas.text(canvas.width / 2, y + 24, text, SMALL, True, "middle")
    return y + 44


def draw_note(canvas, actor, text, at, step, y):
    width = 1.5 * step
    left = min(max(at[actor] - width / 2, EDGE), canvas.width - EDGE - width)
    lines = wrapped(text, width - 2 * INSIDE, SMALL)
    height = len(lines) * SMALL * LINE + 12
    canvas.rect(left, y, width, height, "amber", 4)
    canvas.lines(left + width / 2, y + 5, lines, SMALL, "middle")
    return y + height + 10


def draw_message(canvas, message, at, y):
    start, arrow, end, text = message
    from_x, to_x = at[start], at[end]
    lines = wrapped(text, abs(to_x - from_x) - 24, SMALL)
    left = min(from_x, to_x)
    high = len(lines) * SMALL * LINE
    middle = left + abs(to_x - from_x) / 2
    for other in at.values():  # a lifeline in between does not run through the words
        if left < other < left + abs(to_x - from_x):
            canvas.rect(other - 3, y, 6, high, "back", 0)
    canvas.lines(middle, y, lines, SMALL, "middle")
    y += high + 6
    if arrow == "-x":
        to_x = from_x + (to_x - from_x) * 0.6
        canvas.line([(from_x, y), (to_x, y)], True)
        canvas.cross(to_x, y)
    else:
        canvas.arrow([(from_x, y), (to_x, y)], arrow == "-->")
    return y + 12


# ------------------------------------------------------------------------------------------------------- timeline

LANE_TEXT = 150  # the width of a lane's name
BAR = 26


class Scale:
    def __init__(self, canvas, line):
        first, last, step, self.unit = match(r"scale (\S+) (\S+) (\S+) (\S+)", line).groups()
        self.first, self.last, self.step = float(first), float(last), float(step)
        self.left = EDGE + LANE_TEXT
        self.per_unit = (canvas.width - EDGE - self.left) / (self.last - self.first)

    def x(self, value):
        return self.left + (float(value) - self.first) * self.per_unit


def draw_timeline(canvas, body):
    scale = Scale(canvas, next(line for line in body if line.startswith("scale ")))
    marks = [match(r"mark (\S+): (.+)", line).groups() for line in body if line.startswith("mark ")]
    top = draw_marks(canvas, marks, scale)
    begin = len(canvas.parts)
    y = top
    for line in body:
        if not line.startswith(("scale ", "mark ")):
            y = draw_lane_part(canvas, line, scale, y)
    below = Canvas(canvas.width, "")
    for value, _ in marks:
        below.line([(scale.x(value), top - 4), (scale.x(value), y + 8)], True)
    canvas.parts[begin:begin] = below.parts
    draw_axis(canvas, scale, y + 8)


def draw_marks(canvas, marks, scale):
    """The words above the lines through all lanes: each beside the one before, or above it."""
    wide = [wrapped(text, 130, SMALL) for _, text in marks]
    high = max(len(lines) for lines in wide) * SMALL * LINE
    for (value, _), lines in zip(marks, wide):
        canvas.lines(scale.x(value), EDGE - 6 + high - len(lines) * SMALL * LINE, lines, SMALL, "middle")
    return EDGE + high + 6


def draw_lane_part(canvas, line, scale, y):
    if line.startswith("lane "):
        name, what = match(r"lane (.+?) \| (.+)", line).groups()
        canvas.rect(EDGE / 2, y + 8, canvas.width - EDGE, 1, "rule", 0)
        canvas.text(EDGE, y + 30, name, SIZE, True)
        canvas.lines(EDGE, y + 34, wrapped(what, LANE_TEXT - 16, SMALL), SMALL, "start", "faint")
        return y + 16
    if line.startswith("bar "):
        start, end, colour, text = match(r"bar (\S+) (\S+) (\w+): (.+)", line).groups()
        left, right = scale.x(start) + 1, scale.x(end) - 1
        lines = wrapped(text, right - left - 8, SMALL)
        height = max(BAR, len(lines) * SMALL * LINE + 8)
        canvas.rect(left, y, right - left, height, colour, 4)
        canvas.lines((left + right) / 2, y + (height - len(lines) * SMALL * LINE) / 2 - 1, lines, SMALL, "middle")
        return y
    if line.startswith("next "):
        return y + float(line[5:])
    value, text = match(r"point (\S+): (.+)", line).groups()
    x = scale.x(value)
    lines = wrapped(text, canvas.width - EDGE - x - 12, SMALL)
    canvas.add(f'<circle cx="{x:.1f}" cy="{y + 9:.1f}" r="4" class="tip"/>', y + 13)
    for index, words in enumerate(lines):
        canvas.label_left(x + 10, y + index * SMALL * LINE, words)
    return y + len(lines) * SMALL * LINE + 4


def draw_axis(canvas, scale, y):
    canvas.line([(scale.left, y), (scale.x(scale.last), y)])
    value = scale.first
    while value <= scale.last:
        canvas.line([(scale.x(value), y), (scale.x(value), y + 5)])
        last = value + scale.step > scale.last
        canvas.text(scale.x(value), y + 20, f"{value:g} {scale.unit}", SMALL, False, "end" if last else "middle", "faint")
        value += scale.step


# ---------------------------------------------------------------------------------------------------------- boxes


class Box:
    def __init__(self, fields):
        name, column, row, colour, rows, text = fields
        self.name, self.column, self.row, self.colour = name, int(column), int(row), colour
        self.last_row = self.row + int(rows or 1) - 1
        self.title, *self.texts = [part.strip() for part in text.split("|")]
        self.x = self.y = self.width = self.height = 0
        self.title_lines, self.text_lines = [], []

    def measure(self, x, width):
        self.x, self.width = x, width
        self.title_lines = wrapped(self.title, width - 2 * INSIDE, SIZE, True)
        self.text_lines = [words for text in self.texts for words in wrapped(text, width - 2 * INSIDE, SMALL)]
        return (len(self.title_lines) * SIZE + len(self.text_lines) * SMALL) * LINE + 2 * INSIDE

    def draw(self, canvas):
        canvas.rect(self.x, self.y, self.width, self.height, self.colour)
        high = (len(self.title_lines) * SIZE + len(self.text_lines) * SMALL) * LINE
        y = self.y + (self.height - high) / 2 - 2
        for line in self.title_lines:
            canvas.text(self.x + self.width / 2, y + SIZE, line, SIZE, True, "middle")
            y += SIZE * LINE
        canvas.lines(self.x + self.width / 2, y, self.text_lines, SMALL, "middle")

    def middle(self):
        return self.x + self.width / 2, self.y + self.height / 2


def draw_boxes(canvas, body):
    columns, gaps = (numbers(body, word) for word in ("columns", "gaps"))
    lefts = [EDGE + sum(columns[:i]) + sum(gaps[:i]) for i in range(len(columns))]
    row_gap = numbers(body, "row-gap")[0]
    boxes = [Box(match(r"box (\w+) (\d+) (\d+) (\w+)(?: (\d+))?: (.+)", line).groups())
             for line in body if line.startswith("box ")]
    heads = [match(r"head (\d+): (.+)", line).groups() for line in body if line.startswith("head ")]
    links = [match(r"link (\w+) (\w+)(?: (over|under))?( [+-]\d+)?:(.*)", line).groups() for line in body if line.startswith("link ")]
    top = EDGE + (34 if any(link[2] == "over" for link in links) else 0)
    if heads:
        top = draw_heads(canvas, heads, lefts, columns)
    place(boxes, lefts, columns, row_gap, top)
    known = {box.name: box for box in boxes}
    for start, end, around, shift, label in links:
        draw_link(canvas, known[start], known[end], around, int(shift or 0), label.strip())
    for box in boxes:
        box.draw(canvas)


def numbers(body, word):
    line = next(line for line in body if line.startswith(f"{word}:"))
    return [float(number) for number in line.split(":")[1].split()]


def draw_heads(canvas, heads, lefts, columns):
    bottom = EDGE
    for column, text in heads:
        index = int(column)
        lines = wrapped(text, columns[index], SMALL)
        bottom = max(bottom, canvas.lines(lefts[index] + columns[index] / 2, EDGE - 6, lines, SMALL, "middle", "faint"))
    return bottom + 8


def place(boxes, lefts, columns, row_gap, top):
    """Each row is as high as its highest box; one that spans several rows is as high as these."""
    heights = {}
    for box in boxes:
        high = box.measure(lefts[box.column], columns[box.column])
        if box.last_row == box.row:
            heights[box.row] = max(heights.get(box.row, 0), high)
    tops = {row: top + sum(heights[r] + row_gap for r in range(row)) for row in heights}
    for box in boxes:
        box.y = tops[box.row]
        box.height = tops[box.last_row] + heights[box.last_row] - box.y


def draw_link(canvas, start, end, around, shift, label):
    points = route_around(start, end, around, shift) if around else route(start, end, shift)
    canvas.arrow(points)
    if not label:
        return
    (x0, y0), (x1, y1) = points[1:3] if around else points[:2]
    width = abs(x1 - x0) - 24 if y0 == y1 else 170
    canvas.label((x0 + x1) / 2 - (4 if y0 == y1 and not around else 0), (y0 + y1) / 2, label, width)


def route_around(start, end, around, shift):
    over = around == "over"
    edges = [box.y if over else box.y + box.height for box in (start, end)]
    y = min(edges) - 22 if over else max(edges) + 22
    left, right = start.middle()[0] + shift, end.middle()[0] + shift
    return [(left, edges[0]), (left, y), (right, y), (right, edges[1])]


def route(start, end, shift):
    (sx, sy), (ex, ey) = start.middle(), end.middle()
    if start.column == end.column:
        down = sy < ey
        return [(sx + shift, start.y + start.height if down else start.y), (sx + shift, end.y if down else end.y + end.height)]
    right = sx < ex
    leaves, enters = (start.x + start.width, end.x) if right else (start.x, end.x + end.width)
    low, high = max(start.y, end.y), min(start.y + start.height, end.y + end.height)
    if low < high:
        y = (low + high) / 2 + shift
        return [(leaves, y), (enters, y)]
    down = sy < ey
    return [(leaves, sy + shift), (ex, sy + shift), (ex, end.y if down else end.y + end.height)]


# --------------------------------------------------------------------------------------------------------- layers

LAYER = 58
SIDE = 190


def draw_layers(canvas, body):
    layers = [match(r"layer (\w+): (.+)", line).groups() for line in body if line.startswith("layer ")]
    sides = [match(r"side (\d+) (\d+) (\w+): (.+)", line).groups() for line in body if line.startswith("side ")]
    right = canvas.width - EDGE - (SIDE + 16 if sides else 0)
    for index, (colour, rooms) in enumerate(layers):
        names = rooms.split("|")
        width = (right - EDGE - 8 * (len(names) - 1)) / len(names)
        for place_, room in enumerate(names):
            draw_room(canvas, EDGE + place_ * (width + 8), layer_y(index), width, LAYER, colour, room)
    for first, last, colour, room in sides:
        y = layer_y(int(first) - 1)
        draw_room(canvas, right + 16, y, SIDE, layer_y(int(last) - 1) + LAYER - y, colour, room)
    for line in body:
        if line.startswith("under: "):
            lines = wrapped(line[7:], canvas.width - 2 * EDGE, SMALL)
            canvas.lines(EDGE, layer_y(len(layers)), lines, SMALL, "start", "faint")


def layer_y(index):
    return EDGE + index * (LAYER + 8)


def draw_room(canvas, x, y, width, height, colour, room):
    name, what = (part.strip() for part in room.split(",", 1))
    lines = wrapped(what, width - 16, SMALL)
    high = SIZE * LINE + len(lines) * SMALL * LINE
    if high > height - 4:
        raise TooLarge(f'"{what}" does not fit into its room.')
    canvas.rect(x, y, width, height, colour)
    top = y + (height - high) / 2 - 2
    canvas.text(x + width / 2, top + SIZE, name, SIZE, True, "middle")
    canvas.lines(x + width / 2, top + SIZE * LINE, lines, SMALL, "middle")


# ---------------------------------------------------------------------------------------------------------- files

KINDS = {"sequence": draw_sequence, "timeline": draw_timeline, "boxes": draw_boxes, "layers": draw_layers}


def drawn(source):
    lines = [line.strip() for line in source.read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    kind, title, width = (match(rf"{word}: (.+)", line)[1] for word, line in zip(("kind", "title", "width"), lines))
    canvas = Canvas(int(width), title)
    KINDS[kind](canvas, lines[3:])
    return canvas.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    arguments = parser.parse_args()
    sources = sorted(arguments.folder.glob("*.txt"))
    pictures = {source.with_suffix(".svg"): source for source in sources}
    wrong = [f"{path.name} has no text that it is drawn from" for path in arguments.folder.glob("*.svg") if path not in pictures]
    for picture, source in pictures.items():
        try:
            svg = drawn(source)
        except (TooLarge, ValueError, KeyError) as error:
            sys.exit(f"{source.name}: {error}")
        if not arguments.check:
            picture.write_text(svg)
        elif not picture.is_file() or picture.read_text() != svg:
            wrong.append(f"{picture.name} is not what {source.name} gives: run {pathlib.Path(__file__).name}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(sources)} pictures")
    return 1 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
