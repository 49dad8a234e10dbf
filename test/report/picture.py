# SPDX-License-Identifier: Apache-2.0
"""Takes the picture of a race that the README shows: the answer, the figures and the lanes of its page, without the
controls and the other tables.

usage: picture.py PAGE.html PICTURE.png     docs/pictures/race.png shows the page that this command wrote:
           oscommit race file:///ROOT --writers 8 --duration 20s --faults pause,kill --report PAGE.html
"""
import os
import sys

import webdriver

WIDTH, HEIGHT = 1000, 400  # the picture is as high as the page is then
LEFT_OUT = ".columns, figure.throughput, #controls, #overview, #mode, #facts, #help, #keys"


def main():
    page, picture = sys.argv[1:]
    with webdriver.Browser(width=WIDTH, height=HEIGHT) as browser:
        browser.open("file://" + os.path.abspath(page))
        browser.run("for (const one of document.querySelectorAll(arguments[0])) one.style.display = 'none';", LEFT_OUT)
        browser.settle()
        browser.screenshot(picture, whole=True)


if __name__ == "__main__":
    main()
