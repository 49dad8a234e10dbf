#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--metrics as Prometheus reads it, and the trace of TRACEPARENT in logs, results and programs that the tool runs."""

import os
import re
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, DONE, USAGE, BackendCase, main

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z_]+="[^"\\]*",?)+)\} ([0-9.]+)')


class Metrics(BackendCase):
    def new_file(self):
        return os.path.join(self.folder, self.key("metrics") + ".prom")

    def read(self, path):
        """Samples by name and labels. Each family stands together, behind its type."""
        samples, types = {}, {}
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith("# TYPE "):
                    name, kind = line.split()[2:]
                    self.assertNotIn(name, types)
                    types[name] = kind
                elif not line.startswith("# HELP "):
                    match = SAMPLE.fullmatch(line)
                    self.assertIsNotNone(match, line)
                    family = list(types)[-1]
                    self.assertTrue(match[1].startswith(family), line)
                    labels = frozenset(re.findall(r'([a-z_]+)="([^"]*)"', match[2]))
                    samples[match[1], labels] = float(match[3])
        return samples, types

    def value(self, samples, name, **labels):
        """The sum of all samples that have these labels."""
        return sum(value for (found, has), value in samples.items() if found == name and set(labels.items()) <= has)

    def test_each_run_is_added(self):
        path, url = self.new_file(), self.new_url("counted")
        self.ok("put", "-", url, "--if-absent", "--metrics", path, data=b"x")
        self.exits(CONFLICT, "put", "-", url, "--if-absent", data=b"y", environment={"OSCOMMIT_METRICS": path})
        samples, types = self.read(path)
        for verdict, status in (("committed", "0"), ("conflict", "3")):
            count = self.value(samples, "oscommit_guarded_calls_total", operation="put_if_absent", verdict=verdict)
            self.assertEqual(count, 1)
            self.assertEqual(self.value(samples, "oscommit_runs_total", command="put", status=status), 1)
        self.assertGreater(self.value(samples, "oscommit_last_success_timestamp_seconds", command="put"), 1.7e9)
        self.assertGreaterEqual(self.value(samples, "oscommit_requests_total", service="store", operation="HEAD"), 2)
        self.assertGreaterEqual(self.value(samples, "oscommit_requests_total", service="ledger", operation="PutItem"), 1)
        for name in ("oscommit_guarded_call_duration_seconds", "oscommit_request_duration_seconds"):
            self.assertEqual(types[name], "histogram")
            count = self.value(samples, name + "_count")
            self.assertEqual(self.value(samples, name + "_bucket", le="+Inf"), count)
            self.assertLessEqual(self.value(samples, name + "_bucket", le="0.005"), count)
        promtool = os.environ.get("OSCOMMIT_TEST_PROMTOOL") or shutil.which("promtool")
        if promtool:
            with open(path, "rb") as file:
                checked = subprocess.run([promtool, "check", "metrics"], stdin=file, capture_output=True, check=False)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))

    def test_runs_at_the_same_time_are_all_counted(self):
        path, urls = self.new_file(), [self.new_url("together") for _ in range(12)]
        threads = [
            threading.Thread(target=self.run_tool, args=("put", "-", url, "--if-absent", "--metrics", path),
                             kwargs={"data": b"x"})
            for url in urls
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        samples, _ = self.read(path)
        self.assertEqual(self.value(samples, "oscommit_runs_total", command="put", status="0"), 12)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(os.path.basename(path) + ".")], [])

    def test_a_file_of_others_is_refused_before_anything_is_sent(self):
        path, url = self.new_file(), self.new_url("refused")
        with open(path, "w", encoding="utf-8") as out:
            out.write("node_load1 1\n")
        self.assertIn("not one of oscommit", self.exits(USAGE, "put", "-", url, "--metrics", path, data=b"x").errors)
        self.exits(USAGE, "put", "-", url, "--metrics", "/nowhere/x.prom", data=b"x")
        self.exits(USAGE, "race", self.new_url("race") + "/", "--metrics", self.new_file())
        self.assertEqual(self.ok("ls", url).out, b"")

    def test_programs_of_a_race_do_not_write_it(self):
        path = self.new_file()
        self.exits(DONE, "race", self.url("race/"), "--writers", "2", "--keys", "2", environment={"OSCOMMIT_METRICS": path})
        self.assertFalse(os.path.exists(path))


class Traces(BackendCase):
    def test_a_run_is_a_span_of_its_parents_trace(self):
        environment = {"TRACEPARENT": f"00-{TRACE}-{PARENT}-01", "TRACESTATE": "a=b"}
        url = self.new_url("traced")
        ran = self.ok("put", "-", url, "--if-absent", "--json", "-vv", data=b"x", environment=environment)
        line = ran.line()
        self.assertEqual(line["trace_id"], TRACE)
        logged = re.findall(rf"^oscommit: .* trace_id={TRACE} span_id=([0-9a-f]{{16}})$", ran.errors, re.MULTILINE)
        self.assertEqual(len(logged), len(ran.errors.splitlines()))
        self.assertEqual(set(logged), {line["parent_span_id"]})
        self.assertEqual(len({PARENT, line["parent_span_id"], line["span_id"]}), 3)
        self.ok("update", url, "--", "sh", "-c", 'echo "$TRACEPARENT $TRACESTATE"', environment=environment)
        seen, state = self.ok("get", url).text.split()
        self.assertRegex(seen, rf"^00-{TRACE}-[0-9a-f]{{16}}-01$")
        self.assertNotIn(PARENT, seen)
        self.assertEqual(state, "a=b")

    def test_a_malformed_parent_begins_a_new_trace(self):
        environment = {"TRACEPARENT": f"00-{TRACE.upper()}-{PARENT}-01", "TRACESTATE": "a=b"}
        url = self.new_url("malformed")
        line = self.ok("put", "-", url, "--if-absent", "--json", data=b"x", environment=environment).line()
        self.assertRegex(line["trace_id"], "^[0-9a-f]{32}$")
        self.assertNotEqual(line["trace_id"], TRACE)
        self.ok("update", url, "--", "sh", "-c", 'echo "$TRACEPARENT${TRACESTATE+state}"', environment=environment)
        self.assertRegex(self.ok("get", url).text, "^00-[0-9a-f]{32}-[0-9a-f]{16}-00\n$")

    def test_without_a_parent_there_is_no_trace(self):
        ran = self.ok("put", "-", self.new_url("plain"), "--if-absent", "--json", "-vv", data=b"x")
        self.assertNotIn("trace_id", ran.text + ran.errors)


if __name__ == "__main__":
    main(Metrics, Traces, only=("embedded", "minio"))
