# SPDX-License-Identifier: Apache-2.0
"""The properties of a catalog: those that are options of its store, and which there are."""

from __future__ import annotations

from typing import Any

from pyiceberg import catalog, io

from oscommit import _oscommit
from oscommit._named import did_you_mean
from oscommit._opened import ALIASES
from oscommit.exceptions import UnknownConfigurationKeyError

_PREFIX = "oscommit."
_OPTIONS = {  # of a store, by the properties of pyiceberg that say the same of data files
    "s3_endpoint": ("s3.endpoint",),
    "s3_region": ("s3.region", "client.region"),
    "access_key_id": ("s3.access-key-id", "client.access-key-id"),
    "secret_access_key": ("s3.secret-access-key", "client.secret-access-key"),
    "session_token": ("s3.session-token", "client.session-token"),
    "profile": ("s3.profile-name", "client.profile-name"),
}
_OF_THE_CATALOG = {"warehouse", "type", "py-catalog-impl", "py-io-impl", "uri", "token", "botocore_session"}
_OF_FILES = {  # pyiceberg has no list of them, but a name for each
    value
    for module in (catalog, io)
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, str) and value.startswith(("s3.", "client."))
}
_OF_OTHERS = ("adls.", "auth.", "gcs.", "hdfs.", "header.", "hf.")  # of other file systems, and of a signer


def refuse_unknown(properties: dict[str, Any]) -> None:
    """UnknownConfigurationKeyError: a property that nobody would look at. Those of the store are judged as it is opened, and
    a FileIO of somebody else's has properties of its own."""
    own_io = "py-io-impl" in properties
    for name in properties:
        known = name in _OF_THE_CATALOG or name in _OF_FILES or name.startswith((_PREFIX, *_OF_OTHERS))
        if known or (own_io and "." in name):
            continue
        ours = {_PREFIX + option for option in ("deadline_s", "ledger", *_oscommit.OPTIONS, *ALIASES)}
        likely = f' Did you mean "{_PREFIX}{name}"?' if _PREFIX + name in ours else None
        likely = likely or did_you_mean(name, sorted(_OF_THE_CATALOG | _OF_FILES | ours))
        raise UnknownConfigurationKeyError(
            f'The catalog has no property "{name}".{likely} Options of the store begin with "{_PREFIX}", those of '
            'pyiceberg\'s files with "s3." or "client.". Nothing was sent.'
        )


def options_of(properties: dict[str, str]) -> dict[str, Any]:
    """Of the store: what is named for it, and what pyiceberg knows of the same service."""
    options: dict[str, Any] = {}
    for option, names in _OPTIONS.items():
        given = [properties[name] for name in names if properties.get(name)]
        options.update({option: given[0]} if given else {})
    for name, value in properties.items():
        if name.startswith(_PREFIX):
            options[name[len(_PREFIX) :]] = int(value) if value.isdigit() else value
    return options
