# SPDX-License-Identifier: Apache-2.0
"""What every picture is made of: boxes, lines and text that is measured before it is drawn.

Text that does not fit is an error, so that no picture has words over its edge. Widths are those of DejaVu Sans, the
widest font of the list that a reader's browser chooses from.
"""
import html

SIZE = 14  # of text, in pixels
SMALL = 13
LINE = 1.35  # distance of two lines of text, in font sizes
FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
# Of the characters from blank to ~, in thousandths of the font size.
REGULAR = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
    634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838]
OTHERS = 1000  # any other character, at most
BOLD = 1.14  # bold text is wider, at most by so much

LIGHT = {
    "card": "#ffffff", "edge": "#d1d9e0", "text": "#1f2328", "faint": "#59636e", "line": "#59636e",
    "blue": "#ddf4ff #0969da", "green": "#dafbe1 #1a7f37", "amber": "#fff8c5 #9a6700", "red": "#ffebe9 #cf222e",
    "grey": "#f6f8fa #818b98", "violet": "#fbefff #8250df"}
DARK = {
    "card": "#0d1117", "edge": "#3d444d", "text": "#f0f6fc", "faint": "#b1bac4", "line": "#9198a1",
    "blue": "#0c2d6b #4493f8", "green": "#033a16 #3fb950", "amber": "#4b2900 #d29922", "red": "#5d0f12 #f85149",
    "grey": "#212830 #656c76", "violet": "#3c1e70 #ab7df8"}
COLOURS = ("blue", "green", "amber", "red", "grey", "violet")


class TooLarge(Exception):
    """Text that does not fit where it should stand."""


def text_width(text, size=SIZE, bold=False):
    thousandths = sum(REGULAR[ord(c) - 32] if " " <= c <= "~" else OTHERS for c in text)
    return thousandths * size / 1000 * (BOLD if bold else 1)


def wrapped(text, width, size=SIZE, bold=False):
    """The lines of a text that is at most so wide."""
    lines = []
    for word in text.split():
        if text_width(word, size, bold) > width:
            raise TooLarge(f'"{word}" does not fit into {width:.0f} pixels.')
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def theme(colours):
    rules = [f".card{{fill:{colours['card']};stroke:{colours['edge']}}}", f".back{{fill:{colours['card']}}}",
             f".text{{fill:{colours['text']}}}", f".faint{{fill:{colours['faint']}}}",
             f".line{{stroke:{colours['line']};fill:none}}", f".rule{{fill:{colours['edge']}}}", f".tip{{fill:{colours['line']}}}"]
    for name in COLOURS:
        fill, stroke = colours[name].split()
        rules.append(f".{name}{{fill:{fill};stroke:{stroke}}}")
    return "".join(rules)


class Canvas:
    def __init__(self, width, title):
        self.width = width
        self.title = title
        self.parts = []
        self.bottom = 0

    def add(self, part, bottom):
        self.parts.append(part)
        self.bottom = max(self.bottom, bottom)

    def rect(self, x, y, width, height, style, radius=6):
        if x < 0 or x + width > self.width:
            raise TooLarge(f"A box reaches from {x:.0f} to {x + width:.0f}, beyond the picture.")
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius}" class="{style}"/>',
                 y + height)

    def line(self, points, dashed=False):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.add(f'<polyline points="{path}" class="line"{dashes}/>', max(y for _, y in points))

    def arrow(self, points, dashed=False):
        self.line(points, dashed)
        (x0, y0), (x1, y1) = points[-2:]
        dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
        corners = [(x1, y1), (x1 - 9 * dx - 4 * dy, y1 - 9 * dy - 4 * dx), (x1 - 9 * dx + 4 * dy, y1 - 9 * dy + 4 * dx)]
        self.add(f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" class="tip"/>', y1)

    def cross(self, x, y):
        for sign in (1, -1):
            self.line([(x - 5, y - 5 * sign), (x + 5, y + 5 * sign)])

    def text(self, x, y, text, size=SIZE, bold=False, anchor="start", style="text"):
        """One line, whose letters stand on y."""
        width = text_width(text, size, bold)
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        if left < 2 or left + width > self.width - 2:
            raise TooLarge(f'"{text}" reaches from {left:.0f} to {left + width:.0f}, beyond the picture.')
        weight = ' font-weight="600"' if bold else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" class="{style}"{weight}>'
                 f"{html.escape(text)}</text>", y + size * 0.3)

    def lines(self, x, y, lines, size=SIZE, anchor="start", style="text"):
        """Several lines, the first of them with its upper edge at y; returns where the next would be."""
        for line in lines:
            self.text(x, y + size, line, size, False, anchor, style)
            y += size * LINE
        return y

    def label(self, x, y, text, width, size=SMALL):
        """Text in the middle of a line, which is interrupted for it."""
        lines = wrapped(text, width, size)
        wide = max(text_width(line, size) for line in lines) + 8
        high = len(lines) * size * LINE
        self.rect(x - wide / 2, y - high / 2, wide, high, "back", 2)
        self.lines(x, y - high / 2, lines, size, "middle")

    def label_left(self, x, y, text, size=SMALL):
        """One line that begins at x; what runs below it is interrupted for it."""
        self.rect(x - 3, y, text_width(text, size) + 6, size * LINE, "back", 2)
        self.lines(x, y, [text], size)

    def svg(self):
        height = self.bottom + 16
        style = f"<style>{theme(LIGHT)}@media (prefers-color-scheme:dark){{{theme(DARK)}}}</style>"
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height:.0f}" '
                f'viewBox="0 0 {self.width} {height:.0f}" role="img" font-family="{FONTS}">')
        card = f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{height - 1:.0f}" rx="8" class="card"/>'
        return "\n".join([head, f"<title>{html.escape(self.title)}</title>", style, card, *self.parts, "</svg>", ""])
