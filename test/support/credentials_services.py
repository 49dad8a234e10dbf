# SPDX-License-Identifier: Apache-2.0
"""Environments whose keys a service or a program has to be asked for."""

import shlex
import sys

from credentials_files import NO_PROFILE, NONE
from credentials_row import ENVIRONMENT, ROLE, Row, pair, sso_file

WORK = {"AWS_PROFILE": "work"}
BASE = "[base]\n" + pair("BASE")
FROM_BASE = ROLE % "work" + "source_profile = base\n"


def printing(text):
    """A command that prints a text."""
    return f"credential_process = {shlex.quote(sys.executable)} -c {shlex.quote(f'print({text!r})')}\n"


def process_keys(name, **more):
    members = {"AccessKeyId": "AKIA" + name, "SecretAccessKey": "secret/" + name, **more}
    return printing('{"Version": 1, ' + ", ".join(f'"{key}": "{value}"' for key, value in members.items()) + "}")


WEB = {"AWS_WEB_IDENTITY_TOKEN_FILE": "@HOME@/token", "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/web"}
WEB_PROFILE = ROLE % "web" + "web_identity_token_file = @HOME@/token\n"
TOKEN = {"token": "eyJ.a.token"}
CONTAINER = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "@SERVICES@/container/keys?id=1"}
INSTANCE = {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "@SERVICES@"}
SSO = "sso_start_url = https://example.awsapps.com/start\nsso_region = us-east-1\n"
SSO_ROLE = "sso_account_id = 123456789012\nsso_role_name = Writer\n"
SSO_FILE = sso_file("https://example.awsapps.com/start")
SSO_SESSION = "[sso-session corp]\n" + SSO + "[profile work]\nsso_session = corp\n" + SSO_ROLE
RENEWABLE = {"refreshToken": "refresh-1", "clientId": "client", "clientSecret": "client-secret",
             "registrationExpiresAt": "2099-01-01T00:00:00Z"}

ROLES = [
    Row("a role by the keys of another profile", "assume-role", WORK, BASE, "[profile work]\n" + FROM_BASE),
    Row("a role in the credentials file", "assume-role", WORK, BASE + "[work]\n" + FROM_BASE),
    Row("all that a role can be asked with", "assume-role", WORK, BASE, "[profile work]\n" + FROM_BASE +
        "role_session_name = nightly\nexternal_id = 7/x y\nduration_seconds = 900\n"),
    Row("a role whose settings stand in both files", "assume-role", WORK, BASE + "[work]\nexternal_id = 12\n",
        "[profile work]\n" + FROM_BASE + "external_id = 34\nrole_session_name = both\n"),
    Row("a role of the default profile by the default keys", "assume-role", {}, "[default]\n" + pair("FILE"),
        "[default]\n" + ROLE % "work" + "source_profile = default\n"),
    Row("a role by a name", "assume-role", {**ENVIRONMENT, "AWS_PROFILE": "base"}, BASE, "[profile work]\n" + FROM_BASE,
        profile="work"),
    Row("a role by a role", "assume-role", WORK, BASE, "[profile work]\n" + ROLE % "work" +
        "source_profile = middle\n[profile middle]\n" + ROLE % "middle" + "source_profile = base\n"),
    Row("a role by a role by a role", "assume-role", WORK, BASE, "[profile work]\n" + ROLE % "work" +
        "source_profile = b\n[profile b]\n" + ROLE % "b" + "source_profile = c\n[profile c]\n" + ROLE % "c" +
        "source_profile = base\n"),
    Row("a profile that is its own source", "assume-role", WORK, config="[profile work]\n" + pair("WORK") +
        ROLE % "work" + "source_profile = work\n"),
    Row("its own source without keys", "refused: in a circle", WORK,
        config="[profile work]\n" + ROLE % "work" + "source_profile = work\n"),
    Row("two that name each other", "refused: in a circle", WORK, config="[profile work]\n" + ROLE % "work" +
        "source_profile = b\n[profile b]\n" + ROLE % "b" + "source_profile = work\n"),
    Row("a source with a role and keys", "assume-role", WORK, config="[profile work]\n" + ROLE % "work" +
        "source_profile = b\n[profile b]\n" + ROLE % "b" + "source_profile = nobody\n" + pair("B")),
    Row("a source that is not there", "refused: is in neither", WORK, BASE, "[profile work]\n" + ROLE % "work" +
        "source_profile = nobody\n"),
    Row("a source without keys", "refused: has no credentials", WORK, config="[profile work]\n" + ROLE % "work" +
        "source_profile = empty\n[profile empty]\nregion = eu-west-1\n"),
    Row("a role without a source", "refused: neither source_profile nor", WORK, BASE, "[profile work]\n" + ROLE % "work"),
    Row("a role with two sources", "refused: both source_profile and", WORK, BASE, "[profile work]\n" + FROM_BASE +
        "credential_source = Environment\n"),
    Row("credential_source = Environment", "assume-role", ENVIRONMENT, profile="work",
        config="[profile work]\n" + ROLE % "work" + "credential_source = Environment\n"),
    Row("credential_source = Environment, where it is empty", "refused: credential_source = Environment, which has none",
        profile="work", config="[profile work]\n" + ROLE % "work" + "credential_source = Environment\n"),
    Row("credential_source = EcsContainer", "assume-role", {**WORK, **CONTAINER},
        config="[profile work]\n" + ROLE % "work" + "credential_source = EcsContainer\n"),
    Row("credential_source = Ec2InstanceMetadata", "assume-role", {**WORK, **INSTANCE},
        config="[profile work]\n" + ROLE % "work" + "credential_source = Ec2InstanceMetadata\n"),
    Row("credential_source of an unknown name", "refused: there are Environment, EcsContainer", WORK,
        config="[profile work]\n" + ROLE % "work" + "credential_source = Somewhere\n"),
    Row("credential_source in lower case", "assume-role", ENVIRONMENT, profile="work",
        config="[profile work]\n" + ROLE % "work" + "credential_source = environment\n", botocore="refused: InvalidConfigError",
        differs="Settings of a role"),
    Row("a source with a program", "assume-role", WORK, config="[profile work]\n" + ROLE % "work" +
        "source_profile = b\n[profile b]\n" + process_keys("PROCESS")),
    Row("a source of IAM Identity Center", "assume-role", WORK, config="[profile work]\n" + ROLE % "work" +
        "source_profile = b\n[profile b]\n" + SSO + SSO_ROLE, files=SSO_FILE),
    Row("a source with a web identity", "assume-role", WORK, config="[profile work]\n" + ROLE % "work" +
        "source_profile = b\n[profile b]\n" + WEB_PROFILE, files=TOKEN),
    Row("a role before keys of its own profile", "assume-role", WORK, BASE, "[profile work]\n" + FROM_BASE + pair("W")),
    Row("duration_seconds that is no number", "refused: duration_seconds", WORK, BASE, "[profile work]\n" + FROM_BASE +
        "duration_seconds = long\n", botocore="assume-role", differs="Settings of a role"),
    Row("a code of a device", "refused: mfa_serial", WORK, BASE, "[profile work]\n" + FROM_BASE +
        "mfa_serial = arn:aws:iam::123456789012:mfa/user\n"),
    Row("STS says no", "refused: is not authorized to perform", WORK, BASE, "[profile work]\n" + FROM_BASE,
        refuse={"sts": 403}),
    Row("STS by a services section", "assume-role", {**WORK, "AWS_ENDPOINT_URL_STS": None}, BASE, "[profile work]\n" +
        FROM_BASE + "services = mine\n[services mine]\nsts =\n  endpoint_url = @SERVICES@\n"),
    Row("STS by AWS_ENDPOINT_URL", "assume-role",
        {**WORK, "AWS_ENDPOINT_URL_STS": None, "AWS_ENDPOINT_URL": "@SERVICES@"}, BASE, "[profile work]\n" + FROM_BASE),
    Row("FIPS beside an endpoint", "refused: AWS_USE_FIPS_ENDPOINT", {**WORK, "AWS_USE_FIPS_ENDPOINT": "true"}, BASE,
        "[profile work]\n" + FROM_BASE, botocore="assume-role", differs="FIPS and dual-stack hosts"),
    Row("dual-stack beside an endpoint, by the profile", "refused: AWS_USE_DUALSTACK_ENDPOINT", WORK, BASE,
        "[profile work]\nuse_dualstack_endpoint = true\n" + FROM_BASE, botocore="assume-role",
        differs="FIPS and dual-stack hosts"),
    Row("a role of moto", "assume-role", {**WORK, "AWS_ENDPOINT_URL_STS": "@MOTO@"}, BASE, "[profile work]\n" + FROM_BASE,
        made_up=True),
]

WEB_IDENTITY = [
    Row("a web identity by variables", "web-identity", WEB, files=TOKEN),
    Row("with a session's name", "web-identity", {**WEB, "AWS_ROLE_SESSION_NAME": "pod"}, files=TOKEN),
    Row("a web identity by a profile", "web-identity", WORK, config="[profile work]\n" + WEB_PROFILE +
        "role_session_name = pod\n", files=TOKEN),
    Row("variables before the profile", "web-identity", {**WORK, **WEB}, BASE, "[profile work]\n" + pair("WORK"),
        files=TOKEN),
    Row("a profile by name before the variables", "config-file AKIAWORK", WEB, BASE, "[profile work]\n" + pair("WORK"),
        files=TOKEN, profile="work"),
    Row("the file of the token is missing", "refused: cannot be read", WEB, credentials="[default]\n" + pair("FILE")),
    Row("a token without a role", "refused: no role to assume", {**WEB, "AWS_ROLE_ARN": None}, files=TOKEN),
    Row("an empty variable before a profile", "web-identity", {**WORK, "AWS_WEB_IDENTITY_TOKEN_FILE": ""},
        config="[profile work]\n" + WEB_PROFILE, files=TOKEN, botocore="refused: None", differs="Empty values"),
    Row("STS refuses the web identity", "refused: STS did not give keys", WEB, files=TOKEN, refuse={"sts": 403}),
    Row("a web identity of moto", "web-identity", {**WEB, "AWS_ENDPOINT_URL_STS": "@MOTO@"}, files=TOKEN, made_up=True),
]

CONTAINERS = [
    Row("a container's service", "container", CONTAINER),
    Row("by the name localhost", "container", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "@LOCALHOST@/container"}),
    Row("with a token", "container", {**CONTAINER, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Basic abc"},
        container_token="Basic abc"),
    Row("with a token in a file, before one in a variable", "container",
        {**CONTAINER, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "other",
         "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "@HOME@/token"}, files=TOKEN, container_token=TOKEN["token"]),
    Row("an empty URL", "refused: no container's service is named", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": ""}),
    Row("a token with a line end", "refused: line end", {**CONTAINER, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\nb"}),
    Row("the file of the token is not there", "refused: cannot be read",
        {**CONTAINER, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "@HOME@/nothing"}),
    Row("a host that is not to be told without TLS", "refused: Without TLS",
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/keys"}),
    Row("the container's service says no", "refused: answered 403", CONTAINER, container_token="wanted"),
    Row("expired keys of a container", "container", CONTAINER, lives_s=-60, botocore="refused: still expired",
        differs="Expired keys"),
]

INSTANCES = [
    Row("the role of an instance", "instance", INSTANCE),
    Row("by a profile's setting", "instance", {"AWS_EC2_METADATA_DISABLED": None},
        config="[default]\nec2_metadata_service_endpoint = @SERVICES@/\n"),
    Row("an endpoint goes before its mode", "instance",
        {**INSTANCE, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"}),
    Row("a value that does not forbid it", "instance", {**INSTANCE, "AWS_EC2_METADATA_DISABLED": "1"}),
    Row("the metadata service is forbidden", NONE, {**INSTANCE, "AWS_EC2_METADATA_DISABLED": "TRUE"}),
    Row("a profile that does not exist, on an instance", NO_PROFILE, {**INSTANCE, "AWS_PROFILE": "nobody"},
        credentials="[default]\n" + pair("FILE")),
    Row("nobody listens there", NONE, {**INSTANCE, "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"}),
    Row("an instance without a role", "refused: the instance has no role", INSTANCE, refuse={"imds": 404}),
    Row("no token is given", NONE, INSTANCE, refuse={"imds_token": 403}, imds_v1=True, botocore="instance",
        differs="IMDSv1"),
    Row("IMDSv1, where that is wanted", "instance", {**INSTANCE, "AWS_EC2_METADATA_V1_DISABLED": "false"},
        refuse={"imds_token": 403}, imds_v1=True),
    Row("IMDSv1, where that is forbidden", NONE, {**INSTANCE, "AWS_EC2_METADATA_V1_DISABLED": "true"},
        refuse={"imds_token": 403}, imds_v1=True),
    Row("the instance of moto", "instance", {**INSTANCE, "AWS_EC2_METADATA_SERVICE_ENDPOINT": "@MOTO@"}),
    Row("the expired keys of ec2-metadata-mock", "instance",
        {**INSTANCE, "AWS_EC2_METADATA_SERVICE_ENDPOINT": "@MOCK@"}),
    Row("expired keys of an instance", "instance", INSTANCE, lives_s=-60),
]

IDENTITY_CENTER = [
    Row("IAM Identity Center", "sso", WORK, config="[profile work]\n" + SSO + SSO_ROLE, files=SSO_FILE),
    Row("with a session", "sso", WORK, config=SSO_SESSION, files=sso_file("corp")),
    Row("a token that is to be renewed", "sso", WORK, config=SSO_SESSION,
        files=sso_file("corp", accessToken="old", expiresAt="2026-01-01T00:00:00Z", **RENEWABLE)),
    Row("a token that has expired", "refused: aws sso login", WORK, config=SSO_SESSION,
        files=sso_file("corp", expiresAt="2026-01-01T00:00:00Z")),
    Row("the token cannot be renewed", "refused: aws sso login", WORK, config=SSO_SESSION, refuse={"oidc": 400},
        files=sso_file("corp", expiresAt="2026-01-01T00:00:00Z", **RENEWABLE)),
    Row("a token that has expired, without a session", "refused: aws sso login", WORK,
        config="[profile work]\n" + SSO + SSO_ROLE,
        files=sso_file("https://example.awsapps.com/start", expiresAt="2026-01-01T00:00:00Z")),
    Row("nobody has logged in", "refused: aws sso login", WORK, config=SSO_SESSION),
    Row("the login is over", "refused: Log in again", WORK, config=SSO_SESSION,
        files=sso_file("corp", accessToken="signed-out")),
    Row("a setting is missing", "refused: sso_role_name is missing", WORK,
        config="[profile work]\n" + SSO + "sso_account_id = 123456789012\n", files=SSO_FILE),
    Row("a session that is not there", "refused: has no section", WORK,
        config="[profile work]\nsso_session = corp\n" + SSO_ROLE, files=sso_file("corp")),
    Row("a session that says something else", "refused: is one in the profile", WORK,
        config=SSO_SESSION + "sso_region = eu-west-1\n", files=sso_file("corp")),
]

PROCESSES = [
    Row("a program", "process AKIAPROCESS", WORK, config="[profile work]\n" + process_keys("PROCESS")),
    Row("with a token and an expiry", "process AKIAPROCESS +token", WORK, config="[profile work]\n" +
        process_keys("PROCESS", SessionToken="token/PROCESS", Expiration="2099-01-01T00:00:00Z")),
    Row("an expiry in another zone, and blanks around", "process AKIAPROCESS", WORK, config="[profile work]\n" +
        printing('  {"Version": 1, "AccessKeyId": "AKIAPROCESS", "SecretAccessKey": "s", "SessionToken": null, '
                 '"Expiration": "2099-01-01T01:30:00+01:30", "AccountId": "1"}  ')),
    Row("a version that is a string", "refused: Version", WORK, config="[profile work]\n" +
        printing('{"Version": "1", "AccessKeyId": "AKIAPROCESS", "SecretAccessKey": "s"}')),
    Row("quotes and blanks in a command", "process AKIAPROCESS", WORK,
        files={"a b/c": '#!/bin/sh\ntest "$1" = \'x  "y\' && test $# = 3 && test -z "$3" &&\n'
               'echo \'{"Version": 1, "AccessKeyId": "AKIAPROCESS", "SecretAccessKey": "s"}\'\n'},
        config='[profile work]\ncredential_process = sh "@HOME@/a b/c" "x  \\"y" z\\ z ""\n'),
    Row("a program that fails", "refused: ended with status 1", WORK,
        config="[profile work]\ncredential_process = false\n"),
    Row("a program that is not there", "refused: cannot be run", WORK,
        config="[profile work]\ncredential_process = /nowhere/program\n"),
    Row("a program without a version", "refused: Version", WORK, config="[profile work]\n" + printing("{}")),
    Row("a program that gives half", "refused: has no SecretAccessKey", WORK,
        config="[profile work]\n" + printing('{"Version": 1, "AccessKeyId": "AKIAHALF"}')),
    Row("a program that prints no JSON", "refused: is no JSON object", WORK, config="[profile work]\n" + printing("hi")),
    Row("expired keys of a program", "process AKIAPROCESS", WORK, config="[profile work]\n" +
        process_keys("PROCESS", Expiration="2020-01-01T00:00:00Z"), botocore="refused: still expired",
        differs="Expired keys"),
    Row("a login of the console", "refused: which is not supported", WORK,
        config="[profile work]\nlogin_session = arn:aws:iam::123456789012:user/u\n"),
]

ALL_OF_A_PROFILE = pair("CONFIG") + process_keys("PROCESS") + SSO + SSO_ROLE

ORDER = [
    Row("a role before all others of a profile", "assume-role", {**WORK, **WEB, **CONTAINER}, BASE + "[work]\n" +
        pair("FILE"), "[profile work]\n" + FROM_BASE + ALL_OF_A_PROFILE, {**TOKEN, **SSO_FILE}),
    Row("a web identity before IAM Identity Center", "web-identity", {**WORK, **WEB, **CONTAINER},
        "[work]\n" + pair("FILE"), "[profile work]\n" + ALL_OF_A_PROFILE, {**TOKEN, **SSO_FILE}),
    Row("IAM Identity Center before the credentials file", "sso", {**WORK, **CONTAINER}, "[work]\n" + pair("FILE"),
        "[profile work]\n" + ALL_OF_A_PROFILE, SSO_FILE),
    Row("the credentials file before a program", "credentials-file AKIAFILE", {**WORK, **CONTAINER},
        "[work]\n" + pair("FILE"), "[profile work]\n" + pair("CONFIG") + process_keys("PROCESS")),
    Row("a program before the config file", "process AKIAPROCESS", {**WORK, **CONTAINER},
        config="[profile work]\n" + pair("CONFIG") + process_keys("PROCESS")),
    Row("the config file before a container", "config-file AKIACONFIG", {**CONTAINER, **INSTANCE},
        config="[default]\n" + pair("CONFIG")),
    Row("a container before an instance", "container", {**CONTAINER, **INSTANCE}),
    Row("the environment before all", "environment AKIAENVIRONMENT", {**ENVIRONMENT, **WORK, **WEB, **CONTAINER},
        BASE, "[profile work]\n" + FROM_BASE + ALL_OF_A_PROFILE, {**TOKEN, **SSO_FILE}),
    Row("what fails ends the search", "refused: ended with status 1", {**WORK, **CONTAINER},
        config="[profile work]\ncredential_process = false\n" + pair("CONFIG")),
]
