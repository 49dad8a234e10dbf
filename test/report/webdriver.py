# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium through chromedriver's HTTP protocol (W3C WebDriver), with nothing but the standard library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--force-device-scale-factor=1",
         "--hide-scrollbars", "--lang=en-US"]


def programs():
    """The browser and its driver, or None where one of them is not installed."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class BrowserError(Exception):
    pass


class Browser:
    """One window. Its profile is new and goes with it."""

    def __init__(self, width=1280, height=900, dark=False, scripts=True):
        browser, driver = programs()
        self.profile = tempfile.mkdtemp(prefix="oscommit-browser-")
        # The port stands in the driver's own line: "ChromeDriver was started successfully on port 40123."
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env={**os.environ, "HOME": self.profile, "no_proxy": "*"})
        self.session = None
        try:
            self.port = self.wait_for_port()
            preferences = {} if scripts else {"profile.managed_default_content_settings.javascript": 2}
            flags = [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]
            if dark:
                flags.append("--force-dark-mode")
            answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": browser, "args": flags, "prefs": preferences},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }}})
            self.session = answer["sessionId"]
            self.size(width, height)
            if dark:
                self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait_for_port(self):
        for line in self.process.stdout:
            words = line.split()
            if "successfully" in words:
                return int(words[-1].rstrip("."))
        raise BrowserError("chromedriver ended before it listened")

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", f"/session/{self.session}")
        finally:
            self.process.terminate()
            self.process.wait()
            self.process.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise BrowserError(f"{method} {path}: {value['error']}: {value['message']}") from None

    def command(self, path, body=None):
        return self.ask("POST", f"/session/{self.session}{path}", body or {})

    def devtools(self, name, **parameters):
        return self.command("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, url):
        self.command("/url", {"url": url})

    def run(self, script, *arguments):
        """What the function body returns; a promise is waited for."""
        return self.command("/execute/sync", {"script": script, "args": list(arguments)})

    def settle(self):
        """Waits until what has been asked for is drawn."""
        self.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));")

    def find(self, selector):
        return self.command("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.command(f"/element/{self.find(selector)}/click")
        self.settle()

    def type(self, selector, text):
        self.command(f"/element/{self.find(selector)}/value", {"text": text})
        self.settle()

    def clear(self, selector):
        self.command(f"/element/{self.find(selector)}/clear")
        self.settle()

    def pointer(self, *actions):
        """Actions of a mouse: ("move", x, y), ("down",), ("up",)."""
        steps = []
        for action, *place in actions:
            if action == "move":
                steps.append({"type": "pointerMove", "x": int(place[0]), "y": int(place[1]), "duration": 0})
            else:
                steps.append({"type": {"down": "pointerDown", "up": "pointerUp"}[action], "button": 0})
        self.command("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps,
                                               "parameters": {"pointerType": "mouse"}}]})
        self.settle()

    def wheel(self, x, y, lines):
        self.command("/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": int(x), "y": int(y), "deltaX": 0, "deltaY": lines, "duration": 0}]}]})
        self.settle()

    def log(self, kind):
        return self.command("/se/log", {"type": kind})

    def requests(self):
        """The addresses of all requests since the last question."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def screenshot(self, path, whole=False):
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.devtools("Page.captureScreenshot", **options)["data"]))

    def pdf(self):
        """The page on paper, as its own style sheet says."""
        return base64.b64decode(self.devtools("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
