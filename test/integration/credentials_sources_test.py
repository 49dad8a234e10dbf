#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each source of keys, from a service to a committed write: it works, is renewed, expires and is refused. The keys are
MinIO's: made by its own STS, and given out by a small server in the places of AWS's services."""

import contextlib
import json
import os
import shlex
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from aws_services import PROGRAM, AwsServices, Keys, keys_of_minio
from credentials_row import ROLE, pair, sso_file
from loopback import TlsFront
from oscommit_testing import (ABSENT, ACCESS_KEY, DENIED, DONE, SECRET_KEY, UNREACHABLE, USAGE, BackendCase, FaultProxy, main)

SSO = "sso_start_url = https://example/start\nsso_region = us-east-1\nsso_account_id = 123456789012\nsso_role_name = W\n"
EXPIRED = {"status": 400, "headers": "content-type: application/xml\r\nx-amz-request-id: MADEUP\r\n",
           "body": "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"}


class Source:
    """Where keys come from: its name, the service that is asked, and how it is set up."""

    def __init__(self, name, service=None, environment=None, files=None):
        self.name, self.service, self.environment, self.files = name, service, environment or {}, files or {}


def from_a_program(url):
    script = f"import urllib.request as r; print(r.urlopen({url + PROGRAM!r}).read().decode())"
    return f"credential_process = {shlex.quote(sys.executable)} -S -c {shlex.quote(script)}\n"


def asked_sources(url):
    """Those that ask somebody, who is at this URL."""
    token = {"token": "eyJ.a.token"}
    return [
        Source("assume-role", "sts", {"AWS_PROFILE": "work"}, {".aws/credentials": "[base]\n" + pair("BASE"), ".aws/config":
               "[profile work]\n" + ROLE % "w" + "source_profile = base\n"}),
        Source("web-identity", "sts", {"AWS_ROLE_ARN": "arn:aws:iam::1:role/w", "AWS_WEB_IDENTITY_TOKEN_FILE": "~/token"},
               token),
        Source("sso", "sso", {"AWS_PROFILE": "work"}, {".aws/config": "[profile work]\n" + SSO,
               **sso_file("https://example/start")}),
        Source("process", "container", {"AWS_PROFILE": "work"}, {".aws/config": "[profile work]\n" + from_a_program(url)}),
        Source("container", "container", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": url + "/container"}),
        Source("instance", "imds_token", {"AWS_EC2_METADATA_SERVICE_ENDPOINT": url, "AWS_EC2_METADATA_DISABLED": "false"}),
    ]


def static_sources(keys):
    settings = pair("X").replace("AKIAX", keys.access_key_id).replace("secret/X", keys.secret)
    settings += f"aws_session_token = {keys.token}\n"
    return [
        Source("environment", environment={"AWS_ACCESS_KEY_ID": keys.access_key_id, "AWS_SECRET_ACCESS_KEY": keys.secret,
                                           "AWS_SESSION_TOKEN": keys.token}),
        Source("credentials-file", files={".aws/credentials": "[default]\n" + settings}),
        Source("config-file", files={".aws/config": "[default]\n" + settings}),
    ]


class Sources(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            del cls.base[name]
        cls.base["AWS_EC2_METADATA_DISABLED"] = "true"
        cls.first, cls.second = (keys_of_minio(cls.store_endpoint, 3600) for _ in range(2))

    def services(self, given=None):
        services = AwsServices()
        self.addCleanup(services.close)
        services.given = given or self.first
        return services

    def environment(self, source, services):
        """The variables of a source, with a home folder of its own."""
        home = os.path.join(self.folder, self.key("home"))
        for path, text in source.files.items():
            path = os.path.join(home, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        led = {f"AWS_ENDPOINT_URL_{name}": services.url for name in ("STS", "SSO", "SSO_OIDC")} if services else {}
        return {"HOME": home, **led, **{name: value.replace("~", home) for name, value in source.environment.items()}}

    def check_no_secret(self, ran, *more):
        for secret in (self.first.secret, self.first.token, self.second.secret, self.second.token, SECRET_KEY, *more):
            self.assertNotIn(secret.encode(), ran.out + ran.err)

    def check_works(self, source, environment):
        url = self.new_url(source.name)
        ran = self.ok("put", "-", url, "--if-absent", "--json", "-vv", data=b"x", environment=environment)
        self.assertEqual(ran.line()["verdict"], "committed")
        self.check_no_secret(ran)
        ran = self.ok("credentials", self.store, "--json", environment=environment)
        self.assertEqual([line["source"] for line in ran.lines() if line.get("used")], [source.name])
        self.assertEqual(ran.lines()[-1]["source"], source.name)
        self.check_no_secret(ran)

    def test_keys_that_stand_somewhere(self):
        for source in static_sources(self.first):
            with self.subTest(source.name):
                self.check_works(source, self.environment(source, None))

    def test_keys_that_are_asked_for(self):
        services = self.services()
        for source in asked_sources(services.url):
            with self.subTest(source.name):
                self.check_works(source, self.environment(source, services))

    def test_a_role_of_minio(self):
        """Its STS checks the signature."""
        files = {".aws/credentials": f"[base]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n",
                 ".aws/config": "[profile work]\n" + ROLE % "w" + "source_profile = base\n"}
        source = Source("assume-role", files=files, environment={
            "AWS_PROFILE": "work", "AWS_ENDPOINT_URL_STS": self.store_endpoint})
        self.check_works(source, self.environment(source, None))
        source.files[".aws/credentials"] = files[".aws/credentials"].replace(SECRET_KEY, "wrong/secret")
        ran = self.exits(DENIED, "put", "-", self.new_url("wrong"), data=b"x", environment=self.environment(source, None))
        self.assertIn("STS did not give keys for the role", ran.errors)
        self.check_no_secret(ran, "wrong/secret")

    # ---------------------------------------------------------------------------------------------------- refused

    def test_a_service_that_refuses(self):
        store, ledger, through = self.proxies()
        for source in asked_sources(""):
            with self.subTest(source.name):
                services = self.services()
                services.refuse(source.service, 403)
                source = next(one for one in asked_sources(services.url) if one.name == source.name)
                url = self.new_url("refused")
                environment = {**self.environment(source, services), **through}
                ran = self.exits(DENIED, "put", "-", url, "--if-absent", "--json", data=b"x", environment=environment)
                error = ran.line()["error"]
                self.assertEqual((ran.line()["verdict"], error["code"]), ("not executed", "OS_ERR_CREDENTIALS"))
                self.check_no_secret(ran)
                self.exits(ABSENT, "head", url, environment=self.of_the_first())
        self.assertEqual(store.requests() + ledger.requests(), [])

    def test_keys_that_the_store_does_not_know(self):
        unknown = Keys("AKIAUNKNOWN", "secret/unknown", "token/unknown")
        for source in [*static_sources(unknown), *asked_sources(self.services(unknown).url)]:
            with self.subTest(source.name):
                environment = self.environment(source, self.services(unknown))
                ran = self.exits(DENIED, "put", "-", self.new_url("unknown"), "--if-absent", data=b"x",
                                 environment=environment)
                self.check_no_secret(ran, unknown.secret, unknown.token)

    # ---------------------------------------------------------------------------------------------------- renewed

    def of_the_first(self):
        return static_sources(self.first)[0].environment

    @staticmethod
    def write_into(gate):
        with open(gate, "wb") as out:
            out.write(b"after")

    @contextlib.contextmanager
    def long_update(self, environment):
        """An update whose program waits: gives the URL of the object, and a function that lets it go on and returns what
        the tool said."""
        url, gate = self.new_url("long"), os.path.join(self.folder, self.key("gate"))
        os.mkfifo(gate)
        self.ok("put", "-", url, data=b"before", environment=self.of_the_first())
        process = self.start("update", url, "--json", "--", "cat", gate, environment=environment)

        def go_on():
            opener = threading.Thread(target=self.write_into, args=(gate,), daemon=True)
            opener.start()
            out, err = process.communicate(timeout=120)
            self.assertFalse(opener.is_alive(), err)  # else the program was not run
            self.check_no_secret(type("", (), {"out": out, "err": err}))
            return process.returncode, json.loads(out), err.decode()

        try:
            yield url, go_on
        finally:
            if process.returncode is None:
                process.kill()
                process.communicate()

    def test_keys_are_renewed_while_a_client_lives(self):
        """All at the same time, as they mostly wait. The write is signed with keys that came later."""
        store = FaultProxy(self.store_endpoint)
        self.addCleanup(store.close)
        short = Keys(self.first.access_key_id, self.first.secret, self.first.token, 4)
        later = Keys(self.second.access_key_id, self.second.secret, self.second.token, 4)
        with contextlib.ExitStack() as stack:
            running = []
            for source in asked_sources(""):
                services = self.services(short)
                source = next(one for one in asked_sources(services.url) if one.name == source.name)
                environment = {**self.environment(source, services), "AWS_ENDPOINT_URL_S3": store.url}
                running.append((source, services, *stack.enter_context(self.long_update(environment))))
            for source, services, _, _ in running:
                self.assertTrue(services.wait_asked(source.service, 1, 60), source.name)
                services.given = later
            for source, services, url, go_on in running:
                with self.subTest(source.name):
                    self.assertTrue(services.wait_asked(source.service, 4, 60))
                    status, line, errors = go_on()
                    self.assertEqual((status, line["verdict"]), (DONE, "committed"), errors)
                    writes = store.requests(method="PUT", path_contains=url.rsplit("/", 1)[1])
                    signed = writes[-1]["query"] + writes[-1]["head"]
                    self.assertIn(later.access_key_id, signed)
                    self.assertNotIn(short.access_key_id, signed)

    def container(self, lives_s, store):
        """An update by the keys of a container that end soon, and the service, which does not work any more."""
        services = self.services(Keys(self.first.access_key_id, self.first.secret, self.first.token, lives_s))
        source = Source("container", environment={"AWS_CONTAINER_CREDENTIALS_FULL_URI": services.url + "/container"})
        return services, self.long_update({**self.environment(source, services), "AWS_ENDPOINT_URL_S3": store.url})

    def outlive(self, services, count=5):
        """A renewal fails (it asks three times), and another begins: within these seconds the keys end, and are not taken
        for fresh any more."""
        self.assertTrue(services.wait_asked("container", 1, 60))
        services.refuse("container", 500)
        self.assertTrue(services.wait_asked("container", count, 60))

    def test_expired_keys_are_used_while_the_service_is_away(self):
        store = FaultProxy(self.store_endpoint)
        self.addCleanup(store.close)
        services, update = self.container(2, store)
        with update as (url, go_on):
            self.outlive(services)
            status, line, errors = go_on()
            self.assertEqual((status, line["verdict"]), (DONE, "committed"), errors)
            self.assertEqual(self.ok("get", url, environment=self.of_the_first()).out, b"after")

    def test_expired_keys_that_are_refused_end_it(self):
        store = FaultProxy(self.store_endpoint)
        self.addCleanup(store.close)
        services, update = self.container(2, store)
        with update as (url, go_on):
            self.outlive(services)
            store.add("answer", path_contains=url.rsplit("/", 1)[1], **EXPIRED)
            status, line, errors = go_on()
            self.assertEqual((status, line["verdict"]), (DENIED, "not executed"), errors)
            self.assertEqual(line["error"]["code"], "OS_ERR_CREDENTIALS")
            self.assertEqual(self.ok("get", url, environment=self.of_the_first()).out, b"before")

    def test_keys_that_are_refused_are_asked_for_again(self):
        store = FaultProxy(self.store_endpoint)
        self.addCleanup(store.close)
        services, update = self.container(2, store)
        with update as (url, go_on):
            self.outlive(services, 7)  # both renewals have failed, and the next is seconds away
            services.refuse("container", 200)
            services.given = self.second
            key = url.rsplit("/", 1)[1]
            store.add("answer", method="PUT", path_contains=key, times=1, **EXPIRED)
            status, line, errors = go_on()
            self.assertEqual((status, line["verdict"]), (DONE, "committed"), errors)
            self.assertEqual(len(services.asked("container")), 8)
            refused, written = store.requests(method="PUT", path_contains=key)
            self.assertIn(self.first.access_key_id, refused["query"] + refused["head"])
            self.assertIn(self.second.access_key_id, written["query"] + written["head"])

    def test_a_head_that_is_refused_without_a_reason_is_about_the_keys(self):
        """As S3 answers a HEAD with a token that is over: also where the keys are so new that none are looked for again."""
        store, _, through = self.proxies()
        store.add("answer", method="HEAD", status=400, headers="x-amz-request-id: MADEUP\r\n")
        services = self.services()
        source = next(one for one in asked_sources(services.url) if one.name == "container")
        for environment, asked in ((self.environment(source, services), 2), (self.of_the_first(), 0)):
            url = self.new_url("refused")
            services.reset()
            services.given = self.first
            ran = self.exits(DENIED, "head", url, "--json", environment={**environment, **through})
            self.assertEqual(ran.line()["error"]["code"], "OS_ERR_CREDENTIALS")
            self.assertEqual(len(services.asked("container")), asked)
            ran = self.exits(DENIED, "put", "-", url, "--if-absent", "--json", data=b"x", environment={**environment, **through})
            self.assertEqual((ran.line()["verdict"], ran.line()["error"]["code"]), ("not executed", "OS_ERR_CREDENTIALS"))
            self.assertEqual(store.requests(method="PUT", path_contains=url.rsplit("/", 1)[1]), [])
            self.check_no_secret(ran)

    def test_keys_that_have_expired_already(self):
        """As the metadata service gives them in an outage."""
        expired = Keys(self.first.access_key_id, self.first.secret, self.first.token, -3600)
        for name in ("instance", "container"):
            with self.subTest(name):
                services = self.services(expired)
                source = next(one for one in asked_sources(services.url) if one.name == name)
                self.check_works(source, self.environment(source, services))

    def test_a_login_is_renewed(self):
        """The new token is kept where the AWS tools look for it."""
        services = self.services()
        session = "[sso-session corp]\nsso_start_url = https://example/start\nsso_region = us-east-1\n[profile work]\n"
        over = sso_file("corp", accessToken="old", expiresAt="2026-01-01T00:00:00Z", refreshToken="refresh-1",
                        clientId="c", clientSecret="client/secret", registrationExpiresAt="2099-01-01T00:00:00Z")
        source = Source("sso", "sso", {"AWS_PROFILE": "work"}, {".aws/config": session + "sso_session = corp\n" +
                        "sso_account_id = 123456789012\nsso_role_name = W\n", **over})
        environment = self.environment(source, services)
        self.check_works(source, environment)
        self.assertEqual(len(services.asked("oidc")), 1)
        path = os.path.join(environment["HOME"], next(iter(over)))
        with open(path, encoding="utf-8") as kept:
            token = json.load(kept)
        self.assertEqual((token["accessToken"], token["refreshToken"]), (services.sso_token, "refresh-2"))
        self.assertEqual((token["clientId"], os.stat(path).st_mode & 0o777), ("c", 0o600))

    # ------------------------------------------------------------------------------------------------- connections

    def test_the_certificate_of_a_company(self):
        services = self.services()
        store = TlsFront(self.folder, self.store_endpoint)
        container = TlsFront(self.folder, services.url)
        for front in (store, container):
            self.addCleanup(front.close)
        environment = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": container.url + "/container",
                       "AWS_ENDPOINT_URL_S3": store.url}
        ran = self.exits(UNREACHABLE, "put", "-", self.new_url("tls"), data=b"x", environment=environment)
        self.assertIn("certificate", ran.errors)
        source = Source("by a profile", files={".aws/config": f"[default]\nca_bundle = {store.ca_file}\n"})
        for trust in ({"AWS_CA_BUNDLE": store.ca_file}, self.environment(source, None)):
            self.ok("put", "-", self.new_url("tls"), "--if-absent", data=b"x", environment={**environment, **trust})
        self.ok("put", "-", self.new_url("tls"), data=b"x", environment={
            **environment, "AWS_CA_BUNDLE": "/nowhere", "OSCOMMIT_CA_FILE": store.ca_file})

    def test_a_variant_of_amazons_hosts_beside_an_endpoint(self):
        store, ledger, through = self.proxies()
        for name, words in (("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint"),
                            ("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint")):
            ran = self.exits(USAGE, "put", "-", self.new_url("variant"), data=b"x",
                             environment={**self.of_the_first(), **through, name: "true"})
            self.assertIn(words, ran.errors)
        self.assertEqual(store.requests() + ledger.requests(), [])


if __name__ == "__main__":
    main(Sources, only={"minio"})
