# SPDX-License-Identifier: Apache-2.0
"""A wall clock that a test sets, in one program: by libfaketime, which that program is started with.

    clock = wall_clock.of(self)              # skips the test where libfaketime cannot be had
    process = start(..., environment=clock.environment)
    clock.set(3600)                          # seconds ahead of the machine's; its other clocks stay what they are

Environment: OSCOMMIT_TEST_FAKETIME   the file of libfaketime (multi-threaded); not set where programs have a sanitizer
"""

import os
import shutil
import tempfile


class WallClock:
    def __init__(self, library, folder):
        self.file = os.path.join(folder, "ahead")
        self.environment = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": self.file,
            "FAKETIME_NO_CACHE": "1",  # it is set while the program runs
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",  # else what waits by MONOTONIC returns at once
        }
        self.set(0)

    def set(self, ahead_s):
        with open(self.file + ".new", "w", encoding="ascii") as file:
            file.write(f"{ahead_s:+d}\n")
        os.replace(self.file + ".new", self.file)


def of(test):
    library = os.environ.get("OSCOMMIT_TEST_FAKETIME")
    if not library:
        test.skipTest("OSCOMMIT_TEST_FAKETIME is not set: a program with a sanitizer does not take libfaketime")
    if not os.path.isfile(library):
        if os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1":
            test.fail("libfaketime is not installed, or was not when cmake was run")
        test.skipTest("libfaketime is not installed")
    folder = tempfile.mkdtemp(prefix="oscommit-clock-")
    test.addCleanup(shutil.rmtree, folder, True)
    return WallClock(library, folder)
