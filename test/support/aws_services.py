# SPDX-License-Identifier: Apache-2.0
"""The services of AWS that give out keys, in one small HTTP server: STS, IAM Identity Center, the metadata service of an
instance (IMDSv2) and the one of a container. They answer as AWS documents it. What they give is set by a test: keys that a
store accepts, or keys made of the question, so that whoever asks the same gets the same."""

import datetime
import hashlib
import http.server
import json
import re
import socket
import threading
import urllib.parse

from oscommit_testing import signed_request

ROLE_SESSION_OF_ITS_OWN = re.compile(r"botocore-session-\d+|oscommit-\d+")  # made up by who asks
PROGRAM = "/container/program"  # keys for a credential_process to print
IMDS_TOKEN, IMDS_ROLE = "imds-token", "instance-role"


class Keys:
    def __init__(self, access_key_id, secret, token="", lives_s=3600):
        self.access_key_id, self.secret, self.token, self.lives_s = access_key_id, secret, token, lives_s

    @classmethod
    def of(cls, *question, lives_s=3600):
        """A key pair and a token that only this question gives."""
        digest = hashlib.sha256(json.dumps(question).encode()).hexdigest()
        return cls("ASIA" + digest[:16].upper(), "secret/" + digest[:33], "token+" + digest * 2, lives_s)

    def expiry(self):
        at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.lives_s)
        return at.replace(microsecond=0)

    def expiry_text(self):
        return self.expiry().strftime("%Y-%m-%dT%H:%M:%SZ")

    def document(self, **more):
        """As the services of containers and instances give it, and a credential_process."""
        token = {"Token": self.token} if "Version" not in more else {"SessionToken": self.token} if self.token else {}
        return {"AccessKeyId": self.access_key_id, "SecretAccessKey": self.secret, **token,
                "Expiration": self.expiry_text(), **more}


def keys_of_minio(endpoint, lives_s, **own):
    """Keys with a token, by AssumeRole. What they are said to live is less than what they do. keys=(ID, SECRET): of a server
    that is not the one that the environment names."""
    status, _, body = signed_request(endpoint, "sts", "POST", "/", b"Action=AssumeRole&Version=2011-06-15",
                                     {"content-type": "application/x-www-form-urlencoded"}, **own)
    if status != 200:
        raise RuntimeError(f"MinIO gave no keys: {status} {body!r}")
    found = [re.search(f"<{name}>(.*?)</{name}>", body.decode())[1]
             for name in ("AccessKeyId", "SecretAccessKey", "SessionToken")]
    return Keys(*found, lives_s)


def sts_form_key(form):
    """What a question to STS says, but for a session's name that nobody chose."""
    return sorted(item for item in form.items()
                  if not (item[0] == "RoleSessionName" and ROLE_SESSION_OF_ITS_OWN.fullmatch(item[1])))


STS_ANSWER = """<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>
<AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn><AssumedRoleId>AROA:s</AssumedRoleId></AssumedRoleUser>
<Credentials><AccessKeyId>{id}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey>
<SessionToken>{token}</SessionToken><Expiration>{expiry}</Expiration></Credentials>
</{action}Result><ResponseMetadata><RequestId>made-up</RequestId></ResponseMetadata></{action}Response>"""
STS_REFUSAL = """<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
<Code>AccessDenied</Code><Message>User: arn:aws:iam::1:user/u is not authorized to perform: sts:AssumeRole</Message></Error>
<RequestId>made-up</RequestId></ErrorResponse>"""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _answer(self, status, body, kind="application/json"):
        body = json.dumps(body).encode() if isinstance(body, (dict, list)) else body.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _handle(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        url = urllib.parse.urlsplit(self.path)
        services = self.server.services
        name = services.name_of(self.command, url.path)
        status = services.begin(name, url.query or body)
        if status != 200:
            return self._answer(status, STS_REFUSAL, "text/xml") if name == "sts" else self._answer(
                status, {"message": "refused by the test", "error": "invalid_grant"})
        return getattr(self, "_" + name)(url, body)

    do_GET = do_PUT = do_POST = _handle

    def _nothing(self, *_):
        self._answer(404, {"message": "no such thing"})

    def _container(self, url, _):
        authorization = self.headers.get("authorization") or ""
        wanted = self.server.services.container_token
        if wanted is not None and authorization != wanted:
            return self._answer(403, {"message": "not authorized"})
        more = {"Version": 1} if url.path == PROGRAM else {}
        return self._answer(200, self.server.services.keys("container", url.path, authorization).document(**more))

    def _imds_token(self, *_):
        if not self.headers.get("x-aws-ec2-metadata-token-ttl-seconds"):
            return self._answer(400, "no TTL", "text/plain")
        return self._answer(200, IMDS_TOKEN, "text/plain")

    def _imds(self, url, _):
        token = self.headers.get("x-aws-ec2-metadata-token")
        if token != IMDS_TOKEN and not (token is None and self.server.services.imds_v1):
            return self._answer(401, "Unauthorized", "text/plain")
        role = url.path.rsplit("/", 1)[1]
        if not role:
            return self._answer(200, IMDS_ROLE + "\n", "text/plain")
        keys = self.server.services.keys("imds", role)
        return self._answer(200, keys.document(Code="Success", Type="AWS-HMAC", LastUpdated="2026-01-01T00:00:00Z"))

    def _sts(self, _, body):
        form = dict(urllib.parse.parse_qsl(body))
        signer = re.search(r"Credential=([^/]+)/", self.headers.get("authorization") or "")
        if form["Action"] == "AssumeRole" and not signer:
            return self._answer(403, STS_REFUSAL, "text/xml")
        keys = self.server.services.keys("sts", sts_form_key(form), signer and signer[1])
        return self._answer(200, STS_ANSWER.format(action=form["Action"], id=keys.access_key_id, secret=keys.secret,
                                                   token=keys.token, expiry=keys.expiry_text()), "text/xml")

    def _sso(self, url, _):
        token = self.headers.get("x-amz-sso_bearer_token")
        if token != self.server.services.sso_token:
            return self._answer(401, {"message": "Session token not found or invalid"})
        keys = self.server.services.keys("sso", sorted(urllib.parse.parse_qsl(url.query)), token)
        return self._answer(200, {"roleCredentials": {
            "accessKeyId": keys.access_key_id, "secretAccessKey": keys.secret, "sessionToken": keys.token,
            "expiration": int(keys.expiry().timestamp() * 1000)}})

    def _oidc(self, _, body):
        question = json.loads(body)
        if question["grantType"] != "refresh_token" or question["refreshToken"] != "refresh-1":
            return self._answer(400, {"error": "invalid_grant"})
        return self._answer(200, {"accessToken": self.server.services.sso_token, "expiresIn": 28800,
                                  "refreshToken": "refresh-2", "tokenType": "Bearer"})


class _Server(http.server.ThreadingHTTPServer):
    def __init__(self, address):
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)


class AwsServices:
    """`url` leads to all of them. `given`: the keys that each gives; None: those that the question makes."""

    def __init__(self, host="127.0.0.1", port=0):
        self._condition, self._asked, self._statuses = threading.Condition(), [], {}
        self.given = self.container_token = None
        self.imds_v1, self.lives_s = False, 3600
        self.sso_token = "sso-access-token"
        self._server = _Server((host, port))
        self._server.services = self
        self.url = f"http://{host}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def reset(self):
        with self._condition:
            self._asked, self._statuses = [], {}
        self.given = self.container_token = None

    def refuse(self, name, status):
        """From now on that service gives this status; 200: it works again."""
        self._statuses[name] = status

    def keys(self, *question):
        return self.given or Keys.of(*question, lives_s=self.lives_s)

    def asked(self, name):
        """The queries and bodies of the requests to one service."""
        with self._condition:
            return [text for who, text in self._asked if who == name]

    def wait_asked(self, name, count, seconds=120):
        """Until a service was asked so many times. False: it was not."""
        with self._condition:
            return self._condition.wait_for(lambda: sum(who == name for who, _ in self._asked) >= count, seconds)

    def begin(self, name, text):
        with self._condition:
            self._asked.append((name, text))
            self._condition.notify_all()
            return self._statuses.get(name, 200)

    @staticmethod
    def name_of(method, path):
        if method == "PUT" and path == "/latest/api/token":
            return "imds_token"
        if path.startswith("/latest/meta-data/iam/security-credentials/"):
            return "imds"
        if path.startswith("/container"):
            return "container"
        named = {("GET", "/federation/credentials"): "sso", ("POST", "/token"): "oidc", ("POST", "/"): "sts"}
        return named.get((method, path), "nothing")
