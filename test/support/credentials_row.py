# SPDX-License-Identifier: Apache-2.0
"""One environment in which keys are looked for, and what comes of it."""

import hashlib
import json

ANYWHERE = {"AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL_STS": "@SERVICES@",
            "AWS_ENDPOINT_URL_SSO": "@SERVICES@", "AWS_ENDPOINT_URL_SSO_OIDC": "@SERVICES@"}
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "AKIAENVIRONMENT", "AWS_SECRET_ACCESS_KEY": "secret/ENVIRONMENT"}
ROLE = "role_arn = arn:aws:iam::123456789012:role/%s\n"


def pair(name, token=None):
    """The settings of a key pair."""
    settings = f"aws_access_key_id = AKIA{name}\naws_secret_access_key = secret/{name}\n"
    return settings + (f"aws_session_token = {token}\n" if token else "")


def sso_file(name, **members):
    """The file that `aws sso login` leaves: its path below the home folder, and what is in it."""
    token = {"accessToken": "sso-access-token", "expiresAt": "2099-01-01T00:00:00Z", "region": "us-east-1", **members}
    return {f".aws/sso/cache/{hashlib.sha1(name.encode()).hexdigest()}.json": json.dumps(token)}


class Row:
    """`name`: what is special. `want`: what this library finds, "SOURCE", "SOURCE ID" or "SOURCE ID +token", or
    "refused: PART OF THE SENTENCE". `botocore`: the same of botocore where it differs; then `differs` is the head of the
    paragraph of docs/credentials.md that says so. @HOME@, @SERVICES@, @MOTO@ and @MOCK@ stand for the home folder and
    where the servers are. `made_up`: the service makes other keys for each who asks."""

    def __init__(self, name, want, environment=None, credentials=None, config=None, files=None, profile=None,
                 botocore=None, differs=None, refuse=None, imds_v1=False, container_token=None, made_up=False,
                 lives_s=None):
        assert (botocore is None) == (differs is None), name
        self.name, self.want, self.differs = name, want, differs
        self.botocore = botocore or ("refused: " if want.startswith("refused: ") else want)
        self.environment = {**ANYWHERE, **(environment or {})}
        self.files = dict(files or {})
        for path, text in ((".aws/credentials", credentials), (".aws/config", config)):
            if text is not None:
                self.files[path] = text
        self.profile, self.refuse, self.imds_v1 = profile, refuse or {}, imds_v1
        self.container_token, self.made_up, self.lives_s = container_token, made_up, lives_s
