#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The config file: what of it holds for a command, that it means what TOML says, and who may have written it."""

import os
import sys
import tomllib
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import DONE, NOT_EXECUTED, USAGE, BackendCase, main


class Config(BackendCase):
    def config(self, text, mode=0o600):
        path = os.path.join(self.folder, self.key("config") + ".toml")
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        os.chmod(path, mode)
        return path

    def settings(self, *arguments, **options):
        return {line["setting"]: line for line in self.ok("config", "--json", *arguments, **options).lines()}

    def test_a_write_follows_the_section_of_its_store(self):
        if self.backend.embedded:
            text = f'[store."{self.store}"]\ndeadline-ms = 60000\n'
            environment = {}
        else:
            text = (
                f'[store."{self.store}"]\nledger = "dynamodb://{self.table}"\ns3-endpoint = "{self.store_endpoint}"\n'
                f'dynamodb-endpoint = "{self.ledger_endpoint}"\n'
            )
            environment = {"OSCOMMIT_LEDGER": "", "AWS_ENDPOINT_URL_S3": "", "AWS_ENDPOINT_URL_DYNAMODB": ""}
        url, key = self.new_url("written"), self.key("bare")
        environment["OSCOMMIT_CONFIG"] = self.config(text)
        self.ok("put", "-", url, "--if-absent", data=b"x", environment=environment)
        self.ok("put", "-", key, "--if-absent", "--store", self.store, data=b"y", environment=environment)
        self.assertEqual(self.ok("get", url, environment=environment).out, b"x")
        self.assertEqual(self.ok("get", self.url(key)).out, b"y")
        (record,) = self.ok("table", "show", url, "--json", environment=environment).lines()
        self.assertEqual(record["etag"], "*")

    def test_the_promise_of_a_part_of_the_store_is_kept(self):
        config = self.config(f'[store."{self.store}/log"]\nforward-only = true\n')
        self.ok("put", "-", self.url("log/1"), "--if-absent", "--config", config, data=b"x")
        self.ok("put", "-", self.url("logs/1"), "--if-absent", "--config", config, data=b"x")
        self.exits(NOT_EXECUTED, "rm", self.url("log/1"), "--config", config)
        self.ok("rm", self.url("logs/1"), "--config", config)

    def test_the_race_passes_it_on_to_its_processes(self):
        config = self.config(f'[store."{self.store}"]\ndeadline-ms = 60000\nforward-only = true\n')
        ran = self.exits(DONE, "race", self.url("race/"), "--writers", "2", "--keys", "2", "--keep", "--config", config)
        self.assertIn("exact", ran.text)


class File(BackendCase):
    """Without a store."""

    config, settings = Config.config, Config.settings

    @classmethod
    def setUpClass(cls):
        if not cls.backend.embedded:
            raise unittest.SkipTest("it needs no store: once is enough")
        super().setUpClass()

    def test_the_usual_places(self):
        home = os.path.join(self.folder, self.key("home"))
        for folder in (os.path.join(home, ".config"), os.path.join(home, "xdg")):
            os.makedirs(os.path.join(folder, "oscommit"))
            with open(os.path.join(folder, "oscommit", "config.toml"), "w", encoding="utf-8") as out:
                out.write(f'region = "{os.path.basename(folder)}"\n')
        named = self.config('region = "named"\n')
        usual = {"HOME": home}
        self.assertEqual(self.settings(environment=usual)["region"]["value"], ".config")
        usual["XDG_CONFIG_HOME"] = "relative"  # which the specification says to ignore
        self.assertEqual(self.settings(environment=usual)["region"]["value"], ".config")
        usual["XDG_CONFIG_HOME"] = os.path.join(home, "xdg")
        self.assertEqual(self.settings(environment=usual)["region"]["value"], "xdg")
        usual["OSCOMMIT_CONFIG"] = named
        self.assertEqual(self.settings(environment=usual)["region"]["value"], "named")
        self.assertNotIn("region", self.settings("--config", "/dev/null", environment=usual))
        self.assertNotIn("region", self.settings(environment={"HOME": os.path.join(home, "nobody")}))
        self.assertNotIn("region", self.settings(environment={"HOME": ""}))

    def test_each_value_says_where_it_comes_from(self):
        config = self.config('region = "r"\n[store."s3://b"]\nledger = "dynamodb://t"\n[profile.p]\nprofile = "q"\n')
        found = self.settings(
            "s3://b/k", "--guard", "record", "--config", config, "--config-profile", "p",
            environment={"OSCOMMIT_TTL_S": "7200", "AWS_ENDPOINT_URL": "http://u:hush@h", "AWS_SECRET_ACCESS_KEY": "hush"},
        )
        self.assertEqual((found["region"]["from"], found["region"]["line"], found["region"]["file"]), ("file", 1, config))
        self.assertNotIn("section", found["region"])
        self.assertEqual(found["ledger"]["section"], '[store."s3://b"]')
        self.assertEqual((found["profile"]["value"], found["profile"]["section"]), ("q", "[profile.p]"))
        self.assertEqual((found["guard"]["value"], found["guard"]["from"]), ("record", "flag"))
        self.assertEqual((found["ttl-s"]["value"], found["ttl-s"]["variable"]), ("7200", "OSCOMMIT_TTL_S"))
        self.assertEqual(found["s3-endpoint"]["variable"], "AWS_ENDPOINT_URL")
        self.assertNotIn("hush", str(found))
        text = self.ok("config", "s3://b/k", "--config", config, "--all").text
        self.assertIn(f'dynamodb://t  (line 3 of [store."s3://b"] in {config})', text)
        self.assertIn("length-s             -  (default)", text)

    def test_a_file_that_others_may_have_written_is_refused(self):
        for mode in (0o620, 0o602, 0o666):
            ran = self.exits(USAGE, "config", "--config", self.config('region = "r"\n', mode))
            self.assertIn("chmod go-w", ran.errors)
        self.ok("config", "--config", self.config('region = "r"\n', 0o644))
        if os.geteuid() == 0:
            others = self.config('region = "r"\n')
            os.chown(others, 12345, 12345)
            self.assertIn("belongs to another user", self.exits(USAGE, "config", "--config", others).errors)

    def test_what_is_no_file_is_refused_and_not_waited_for(self):
        fifo = os.path.join(self.folder, self.key("fifo"))
        os.mkfifo(fifo)
        self.assertIn("no regular file", self.exits(USAGE, "config", "--config", fifo).errors)
        self.assertIn("no regular file", self.exits(USAGE, "config", "--config", self.folder).errors)
        missing = os.path.join(self.folder, "missing.toml")
        self.assertIn("No such file", self.exits(USAGE, "config", "--config", missing).errors)
        large = self.config("#" * (256 * 1024 + 1))
        self.assertIn("more than 262144 bytes", self.exits(USAGE, "config", "--config", large).errors)
        self.ok("config", "--config", self.config("#" * (256 * 1024)))
        link = os.path.join(self.folder, self.key("link"))
        os.symlink(self.config('region = "linked"\n'), link)
        self.assertEqual(self.settings("--config", link)["region"]["value"], "linked")

    def test_a_mistake_is_told_before_anything_is_sent(self):
        config = self.config('[store."s3://b"]\n\nlegder = "dynamodb://t"\n')
        ran = self.exits(USAGE, "put", "-", "s3://other/k", "--if-absent", "--config", config, "--json", data=b"x")
        self.assertIn(f'{config}:3: there is no setting "legder". Did you mean ledger?', ran.errors)
        self.assertEqual(ran.line()["verdict"], "bad usage")

    def test_a_profile_needs_its_section(self):
        config = self.config("[profile.p]\n")
        self.exits(USAGE, "config", "--config", config, "--config-profile", "q")
        self.exits(USAGE, "config", "--config-profile", "q")
        self.ok("config", "--config", "/dev/null", "--config-profile", "q")

    def test_another_reader_of_toml_finds_the_same(self):
        texts = [
            'region = "r"\nlength-s = 1_0\nforward-only = true',
            "region = 'a\\b' # c\r\n\"guard\" = \"\\u0062oth\"\n",
            'user-name = "x"\n',
            'record-prefix = "\\U0001F600\\t\\"\\\\ä"\nlength-s = +5\n',
            "region = \"a\" region = \"b\"\n",
            "length-s = 05\n",
            "length-s = 5.0\n",
            "region = \"a\rb\"\n",
            "region = \"\x7f\"\n",
            "[profile.p]\n[profile.p]\n",
            "[ profile . 'p' ]\nregion='x'\n",
            "region = 'a'\nregion = 'b'\n",
            "region = \"\\ud800\"\n",
            "# \x0b\n",
        ]
        accepted = 0
        for text in texts:
            ran = self.run_tool("config", "--json", "--config", self.config(text))
            if ran.status != DONE:
                continue
            accepted += 1
            read = tomllib.loads(text.replace("\r\n", "\n"))
            for line in ran.lines():
                if line.get("from") == "file":
                    value = read[line["setting"]]
                    self.assertEqual(line["value"], str(value).lower() if isinstance(value, bool) else str(value))
            self.assertEqual(len([line for line in ran.lines() if line.get("from") == "file"]),
                             len([name for name in read if name != "profile"]))
        self.assertEqual(accepted, 4, "and the others are no TOML, or no settings")


if __name__ == "__main__":
    main(Config, File, only=("embedded", "minio"))
