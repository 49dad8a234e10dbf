# SPDX-License-Identifier: Apache-2.0
"""The report of a race in a headless Chromium: as it is opened, used, printed, and without scripts.

usage: browser_test.py [unittest arguments]    the tool is OSCOMMIT_TEST_TOOL
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import webdriver

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.environ.get("OSCOMMIT_TEST_TOOL", "oscommit")
SKIPPED = 77
VERDICTS = ["", "committed", "conflict", "not executed", "unknown"]


class Sample:
    """A history from the generator, and its page."""

    def __init__(self, folder, name, *options):
        self.history = os.path.join(folder, f"{name}.jsonl")
        self.page = os.path.join(folder, f"{name}.html")
        with open(self.history, "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, "-B", os.path.join(HERE, "sample_history.py"), *options], stdout=file, check=True)
        judged = subprocess.run([TOOL, "check", "--quiet", "--report", self.page, self.history], check=False)
        self.status = judged.returncode
        self.url = "file://" + self.page

    def calls(self):
        with open(self.history, encoding="utf-8") as file:
            return [one for one in map(json.loads, file) if "call" in one]


def nearest_rank(values, percent):
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="oscommit-report-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.good = Sample(cls.folder.name, "good", "--calls", "400", "--seed", "3")
        cls.bad = Sample(cls.folder.name, "bad", "--calls", "300", "--seed", "4", "--violation")
        cls.hostile = Sample(cls.folder.name, "hostile", "--calls", "120", "--hostile", "--keys", "12", "--writers", "3")
        cls.large = Sample(cls.folder.name, "large", "--calls", "50000", "--keys", "60")
        cls.browser = webdriver.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, sample, fragment=""):
        self.browser.open("about:blank")
        self.browser.requests()
        self.browser.open(sample.url + fragment)
        self.browser.settle()

    def tearDown(self):
        # The test that looks at pixels is told that it could do so faster.
        self.assertEqual([one for one in self.browser.log("browser") if "willReadFrequently" not in one["message"]], [])

    def value(self, script, *arguments):
        return self.browser.run("return " + script, *arguments)

    def text(self, selector):
        return self.value("document.querySelector(arguments[0]).innerText", selector)

    def view(self):
        return [float(part) for part in self.value("[chart.dataset.from, chart.dataset.to]")]

    def place_of(self, call_id):
        """Where a call is on the screen."""
        return self.value("""(() => {
            const call = page.model.byId.get(arguments[0]), box = chart.getBoundingClientRect(), view = page.view;
            const middle = (page.model.start[call] + page.model.end[call]) / 2;
            return [box.left + view.x(middle), box.top + (page.model.calls.writer[call] + 0.5) * view.lane];
        })()""", call_id)

    def to_lanes(self):
        self.browser.run("document.getElementById('lanes').scrollIntoView()")
        self.browser.settle()

    # ------------------------------------------------------------------------------------------------- opening

    def test_the_page_asks_nobody_for_anything(self):
        for sample in (self.good, self.bad, self.hostile):
            self.open(sample)
            asked = [url for url in self.browser.requests() if not url.startswith("data:")]
            self.assertEqual(asked, [sample.url])

    def test_the_answer_stands_first(self):
        self.assertEqual(self.good.status, 0)
        self.open(self.good)
        self.assertIn("Accepted", self.text(".judgement"))
        self.assertEqual(self.bad.status, 3)
        self.open(self.bad)
        self.assertIn("Refused.", self.text(".judgement"))
        self.assertLess(self.value("document.querySelector('.judgement').getBoundingClientRect().bottom"), 400)

    def test_the_figures_are_the_histories(self):
        calls = self.good.calls()
        self.open(self.good)
        shown = self.value("Object.fromEntries([...document.querySelectorAll('[data-figure]')]"
                           ".map((one) => [one.dataset.figure, Number(one.dataset.value)]))")
        settled = [one.get("settled", one["verdict"]) for one in calls]
        self.assertEqual(shown["writes"], len(calls))
        self.assertEqual(shown["committed"], settled.count("committed"))
        self.assertEqual(shown["conflict"], settled.count("conflict"))
        self.assertEqual(shown["not-executed"], settled.count("not executed"))
        killed = [one for one in calls if one["end_us"] is None]
        self.assertEqual(shown["killed"], len(killed))
        self.assertEqual(shown["unknown"], sum(one["verdict"] == "unknown" for one in calls) - len(killed))
        self.assertEqual(shown["takeovers"], sum(one["took_over"] for one in calls))
        self.assertGreater(shown["takeovers"], 0)
        times = [one["end_us"] - one["start_us"] for one in calls
                 if one["operation"] == "put_if_match" and one["verdict"] == "committed"]
        row = self.value("[...document.querySelectorAll('#latencies tbody[data-operation=\"2\"] "
                         "tr[data-verdict=\"1\"] [data-us]')].map((cell) => Number(cell.dataset.us))")
        self.assertEqual(row, [nearest_rank(times, percent) for percent in (50, 90, 99)] + [max(times)])

    def test_every_call_is_in_its_lane(self):
        self.open(self.good)
        calls = self.good.calls()
        lanes = self.value("page.model.lanes.map((lane) => lane.calls.map((call) => page.model.calls.id[call]))")
        for number, lane in enumerate(lanes):
            expected = sorted((one for one in calls if one["writer"] == number), key=lambda one: one["start_us"])
            self.assertEqual(lane, [one["call"] for one in expected])
        self.assertEqual(len(lanes), 8)

    def test_bars_have_the_colour_of_their_verdict(self):
        self.open(self.good)
        for look in (1, 4):
            colour, wanted = self.value("""(() => {
                const {model, view} = page, ratio = devicePixelRatio;
                const call = [...model.calls.id.keys()].filter((one) => model.calls.look[one] === arguments[0])
                    .sort((a, b) => model.calls.length[b] - model.calls.length[a])[0];
                page.looks = new Set([arguments[0]]);
                view.laneEvents = [];
                view.show(model.start[call] - 1000, model.end[call] + 1000);
                view.draw();
                const x = Math.round(view.x(model.start[call] + model.calls.length[call] * 0.9) * ratio);
                const y = Math.round((model.calls.writer[call] * view.lane + 0.2 * view.lane) * ratio);
                const data = chart.getContext('2d').getImageData(x - 6, y - 3, 12, 6).data;
                const seen = new Set();
                for (let i = 0; i < data.length; i += 4) {
                    seen.add('#' + [...data.slice(i, i + 3)].map((part) => part.toString(16).padStart(2, '0')).join(''));
                }
                return [[...seen], view.paint.look[arguments[0]]];
            })()""", look)
            self.assertIn(wanted, colour)

    def paints(self, look):
        """Which of the two paints a call of this look is drawn with: one by one, and in a lane that is zoomed out."""
        return self.browser.run("""
            const {model, view} = page, wanted = arguments[0], context = chart.getContext('2d');
            const call = [...model.calls.id.keys()].find((one) => model.calls.look[one] === wanted);
            const lane = model.calls.writer[call], ratio = devicePixelRatio;
            const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join();
            const seen = () => {
                const data = context.getImageData(0, lane * view.lane * ratio, chart.width, view.lane * ratio).data;
                const found = new Set();
                for (let i = 0; i < data.length; i += 4) {
                    found.add(data.slice(i, i + 3).join());
                }
                return [UNKNOWN, KILLED].filter((one) => found.has(rgb(view.paint.look[one])));
            };
            page.looks = new Set([wanted]);
            model.laneEvents.forEach((events) => events.splice(0));
            view.show(model.start[call] - 1000, model.end[call] + 1000);
            view.draw();
            const near = seen();
            view.show(0, model.duration);
            context.fillStyle = view.paint.paper;
            context.fillRect(0, 0, chart.width, chart.height);
            drawDensity(view, context, model.lanes[lane].calls, 0, model.lanes[lane].calls.length, lane * view.lane);
            return [near, seen()];""", look)

    def test_killed_in_flight_does_not_look_like_unknown(self):
        for dark in ("light", "dark"):
            self.browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": dark}])
            for sample in (self.good, self.large):
                self.open(sample)
                self.assertEqual(self.paints(4), [[4], [4]], dark)
                self.assertEqual(self.paints(5), [[5], [5]], dark)
        self.browser.devtools("Emulation.setEmulatedMedia", features=[])
        fills = self.value("['unknown', 'killed'].map((name) => getComputedStyle("
                           "document.querySelector(`#drawing .thin.${name}`)).fill)")
        self.assertNotEqual(*fills)  # and on paper

    def test_throughput_counts_every_write_that_returned(self):
        for sample in (self.good, self.large):
            self.open(sample)
            step, drawn = self.value("""(() => {
                const figure = document.querySelector('.throughput'), step = Number(figure.dataset.stepUs);
                const height = figure.querySelector('svg').viewBox.baseVal.height;
                const top = Number(figure.querySelector('.y span').textContent.replaceAll(',', ''));
                const sums = {};
                for (const path of figure.querySelectorAll('path.bar')) {
                    const bars = path.getAttribute('d').split('z').filter((one) => one !== '').map((one) => {
                        const [, from, to] = /^M[\\d.]+ ([\\d.]+)H[\\d.]+V([\\d.]+)H/.exec(one);
                        return (from - to) / height * top * step / 1e6;
                    });
                    sums[path.classList[2]] = bars.reduce((a, b) => a + b, 0);
                }
                return [step, sums];
            })()""")
            returned = [one for one in sample.calls() if one["operation"] != "read" and one["end_us"] is not None]
            for name in ("committed", "conflict", "not executed", "unknown"):
                wanted = sum(one["verdict"] == name for one in returned)
                self.assertAlmostEqual(drawn[name.replace(" ", "-")], wanted, delta=max(1, wanted * 0.02))
            self.assertGreater(step, 0)

    def test_nothing_is_wider_than_the_page(self):
        for sample in (self.good, self.bad, self.hostile):
            for width in (1280, 390):
                self.browser.size(width, 900)
                self.open(sample)
                self.assertLessEqual(self.value("document.documentElement.scrollWidth"), width)
        self.browser.size(1280, 900)

    def test_hostile_keys_do_nothing(self):
        self.open(self.hostile)
        self.assertIsNone(self.value("window.broken || null"))
        self.assertEqual(self.value("document.querySelectorAll('script').length"), 2)
        self.assertEqual(self.value("document.querySelectorAll('img, main script').length"), 0)
        keys = self.value("page.model.keys.map((key) => page.model.strings[key])")
        self.assertIn("</script><script>window.broken=1</script>", keys)
        self.assertIn("__proto__", keys)
        self.assertEqual(len(keys), len({one["key"] for one in self.hostile.calls()}))

    # ------------------------------------------------------------------------------------------------ movement

    def test_wheel_drag_buttons_and_keys_change_the_range(self):
        self.open(self.good)
        self.to_lanes()
        box = self.value("(({left, top, width, height}) => [left, top, width, height])(chart.getBoundingClientRect())")
        middle = (box[0] + box[2] / 2, box[1] + box[3] / 2)
        whole = self.view()
        self.browser.wheel(*middle, -300)
        near = self.view()
        self.assertLess(near[1] - near[0], 0.6 * (whole[1] - whole[0]))
        self.browser.pointer(("move", *middle), ("down",), ("move", middle[0] + 60, middle[1]),
                             ("move", middle[0] + 120, middle[1]), ("up",))
        moved = self.view()
        self.assertLess(moved[0], near[0])
        self.assertAlmostEqual(moved[1] - moved[0], near[1] - near[0], delta=1)
        self.browser.click("#pan-right")
        self.assertGreater(self.view()[0], moved[0])
        self.browser.click("#zoom-out")
        self.assertGreater(self.view()[1] - self.view()[0], near[1] - near[0])
        self.browser.click("#zoom-all")
        self.assertEqual(self.view(), whole)
        self.browser.type("#chart", "+")
        self.assertLess(self.view()[1] - self.view()[0], whole[1] - whole[0])
        self.browser.type("#chart", "0")
        self.assertEqual(self.view(), whole)

    def test_hovering_shows_all_facts_of_a_call(self):
        self.open(self.good)
        self.to_lanes()
        call = max((one for one in self.good.calls() if one["took_over"]), key=lambda one: one["end_us"] - one["start_us"])
        self.browser.pointer(("move", *self.place_of(call["call"])))
        facts = self.text("#facts")
        for part in (f"Call {call['call']}", call["operation"].replace("_", " "), call["key"], call["value"],
                     call["rule"], "committed", "took over", f"{call['attempts']}, {call['requests']}",
                     f"{call['start_us'] / 1e6:.6f} s", f"{call['end_us'] / 1e6:.6f} s"):
            self.assertIn(part, facts)
        self.assertIn(call["key"], self.text("#tip"))
        self.browser.pointer(("move", 5, 5))
        self.assertTrue(self.value("tip.hidden"))

    def test_the_keyboard_goes_from_call_to_call(self):
        self.open(self.good)
        self.browser.type("#chart", "\ue014")  # right: the first call in view, or the one after it
        first = self.text("#facts h3 a")
        self.browser.type("#chart", "\ue014")
        second = self.text("#facts h3 a")
        self.assertNotEqual(first, second)
        self.browser.type("#chart", "\ue012")
        self.assertEqual(self.text("#facts h3 a"), first)
        self.browser.type("#chart", "\ue015")  # down
        self.assertIn("Writer\n1", self.text("#facts"))
        self.assertTrue(self.value("location.hash").startswith("#call-"))

    def test_an_address_leads_to_a_call(self):
        wanted = self.good.calls()[200]
        self.open(self.good, f"#call-{wanted['call']}")
        self.assertIn(wanted["key"], self.text("#facts"))
        begin, end = self.view()
        self.assertLess(begin, wanted["start_us"])
        self.assertGreater(end, wanted["start_us"])
        self.assertLess(end - begin, self.value("page.model.duration"))
        self.assertGreater(self.value("scrollY"), 0)

    def test_an_address_of_no_call_leads_to_the_nearest(self):
        sparse = Sample(self.folder.name, "sparse", "--calls", "60", "--seed", "5", "--sparse")
        numbers = [one["call"] for one in sparse.calls()]
        for wanted in (12, max(numbers) + 1000):
            self.assertNotIn(wanted, numbers)
            nearest = min(numbers, key=lambda number: (abs(number - wanted), number))
            self.open(sparse, f"#call-{wanted}")
            self.assertIn(f"There is no call {wanted} here; the nearest is shown.", self.text("#facts"))
            self.assertEqual(self.text("#facts h3 a"), f"Call {nearest}")
            self.assertGreater(self.value("scrollY"), 0)
        self.browser.type("#find-call", str(numbers[7]) + "\n")
        self.assertEqual(self.text("#facts h3 a"), f"Call {numbers[7]}")
        self.assertNotIn("no call", self.text("#facts"))

    def test_a_finding_leads_to_its_calls(self):
        self.open(self.bad)
        link = self.text("#findings tbody a")
        self.browser.click("#findings tbody a")
        self.assertIn(f"Call {link}", self.text("#facts"))
        self.assertIn("Finding", self.text("#facts"))

    # ----------------------------------------------------------------------------------------- filters, chains

    def test_filters_by_key_and_verdict(self):
        calls = self.good.calls()
        self.open(self.good)
        key = calls[7]["key"]
        self.browser.type("#filter-key", key)
        self.assertEqual(int(self.value("shown.dataset.shown")), sum(one["key"] == key for one in calls))
        self.browser.click("#legend input[value='2']")
        self.assertEqual(int(self.value("shown.dataset.shown")),
                         sum(one["key"] == key and one["verdict"] != "conflict" for one in calls))
        self.browser.clear("#filter-key")
        self.browser.run("document.getElementById('filter-key').dispatchEvent(new Event('input'))")
        self.assertEqual(int(self.value("shown.dataset.shown")), sum(one["verdict"] != "conflict" for one in calls))

    def test_a_key_shows_its_versions_in_order(self):
        self.open(self.good)
        self.browser.click("#key-table button")
        key = self.text("#key-table button")
        made = [one for one in self.good.calls() if one["key"] == key and
                one.get("settled", one["verdict"]) == "committed"]
        values = self.value("[...document.querySelectorAll('#chain tbody tr')].map((row) => row.cells[4].innerText)")
        self.assertEqual(len(values), len(made))
        held = ""
        for value in values:  # each replaced the one before
            step = next(one for one in made if one["expected"] == held and (one["value"] or "absent") == value)
            held = step["value"]

    # ---------------------------------------------------------------------------------------------- size, paper

    def test_fifty_thousand_calls_are_drawn_at_once(self):
        self.open(self.large)
        # The shortest of some: a browser that stood still for a moment says nothing of the drawing.
        drawing = self.value("(() => { page.all(); return Math.min(...[...Array(10)].map(() => { "
                             "const begin = performance.now(); page.view.draw(); return performance.now() - begin; })); })()")
        reading = self.value("(() => { const begin = performance.now(); readModel(data.textContent); "
                             "return performance.now() - begin; })()")
        print(f"50,000 calls: {os.path.getsize(self.large.page) / 1e6:.1f} MB, read in {reading:.0f} ms, "
              f"drawn in {drawing:.0f} ms")
        self.assertLess(drawing, 1000)  # some 30 ms on a quiet machine
        self.assertLess(os.path.getsize(self.large.page), 8 << 20)
        self.assertIn("Zoomed out", self.text("#mode"))
        self.browser.run("page.goTo(25000, false)")
        self.browser.settle()
        self.assertIn("Call 25,000".replace(",", ""), self.text("#facts"))
        self.assertEqual(self.text("#mode"), "")

    def test_it_prints_on_a_few_sheets(self):
        for sample, most in ((self.good, 3), (self.bad, 4), (self.large, 5)):
            self.open(sample)
            paper = self.browser.pdf()
            sheets = len(re.findall(rb"/Type\s*/Page\b", paper))
            self.assertGreaterEqual(sheets, 2)
            self.assertLessEqual(sheets, most)
            self.assertLess(len(paper), 4 << 20)

    def test_paper_has_the_drawing_and_no_controls(self):
        self.open(self.bad)
        self.browser.devtools("Emulation.setEmulatedMedia", media="print")
        try:
            def shown(selector):
                return self.value("getComputedStyle(document.querySelector(arguments[0])).display !== 'none'", selector)
            self.assertTrue(shown("#drawing"))
            self.assertTrue(shown("#findings"))
            for selector in ("#controls", "#stage", "#facts", "#legend input"):
                self.assertFalse(shown(selector), selector)
        finally:
            self.browser.devtools("Emulation.setEmulatedMedia", media="")

    # ------------------------------------------------------------------------------------------------ contrast

    def contrasts(self, browser):
        return browser.run("""
            const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
                return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
            const paper = (node) => { for (; node; node = node.parentElement) {
                const colour = getComputedStyle(node).backgroundColor;
                if (!/, 0\\)$/.test(colour)) { return colour; } } return 'rgb(255, 255, 255)'; };
            const found = {};
            const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
                const node = walk.currentNode.parentElement;
                if (walk.currentNode.data.trim() === '' || node.closest('script') || node.offsetParent === null) { continue; }
                const ink = light(getComputedStyle(node).color), ground = light(paper(node));
                const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
                const name = node.tagName + '.' + node.className + ' ' + getComputedStyle(node).color;
                found[name] = Math.min(found[name] || 99, ratio);
            }
            return found;""")

    def test_text_stands_out_in_light_and_dark(self):
        for dark in ("light", "dark"):
            self.browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": dark}])
            for sample in (self.good, self.bad):
                self.open(sample)
                found = self.contrasts(self.browser)
                self.assertGreater(len(found), 15)
                for name, ratio in found.items():
                    self.assertGreaterEqual(ratio, 4.5, f"{dark}: {name}")
        self.browser.devtools("Emulation.setEmulatedMedia", features=[])

    def test_headings_and_names_are_there(self):
        self.open(self.bad)
        levels = self.value("[...document.querySelectorAll('h1, h2, h3')].filter((one) => one.offsetParent)"
                            ".map((one) => Number(one.tagName[1]))")
        self.assertEqual(levels.count(1), 1)
        self.assertTrue(all(after - before <= 1 for before, after in zip(levels, levels[1:])))
        self.assertEqual(self.value("document.documentElement.lang"), "en")
        unnamed = self.value("[...document.querySelectorAll('button, input, canvas:not([aria-hidden])')].filter((one) => "
                             "!(one.innerText.trim() || one.ariaLabel || one.labels?.length)).map((one) => one.outerHTML)")
        self.assertEqual(unnamed, [])


class WithoutScriptsTest(unittest.TestCase):
    def test_there_are_still_the_answer_the_drawing_and_the_tables(self):
        with tempfile.TemporaryDirectory(prefix="oscommit-report-") as folder, webdriver.Browser() as browser:
            sample = Sample(folder, "bad", "--calls", "300", "--seed", "4", "--violation")
            browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
            browser.open(sample.url + "#call-301")
            found = browser.devtools("DOMSnapshot.captureSnapshot", computedStyles=["display"])
            names = [found["strings"][index] for index in found["documents"][0]["layout"]["text"] if index >= 0]
            text = " ".join(names)
            self.assertIn("Refused.", text)
            self.assertIn("two winners", text)
            self.assertIn("Lanes", text)
            laid_out = {found["strings"][found["documents"][0]["nodes"]["nodeName"][node]]
                        for node in found["documents"][0]["layout"]["nodeIndex"]}
            self.assertIn("svg", laid_out)
            self.assertNotIn("CANVAS", laid_out)
            self.assertNotIn("BUTTON", laid_out)


def main():
    if webdriver.programs() is None:
        required = os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1"
        print("Chromium and its driver are not installed (packages chromium and chromium-driver): the page of a report "
              f"was {'not tested, and it must be' if required else 'not tested'}.")
        sys.exit(1 if required else SKIPPED)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
