# SPDX-License-Identifier: Apache-2.0
"""A store of objects. Each method has a twin that ends in `_async`, takes the same arguments and does not block."""

from __future__ import annotations

import logging
import os
import pathlib
import urllib.parse
from typing import Any, Callable

from oscommit import _oscommit
from oscommit._abandons import log_abandoned
from oscommit._opened import Opened
from oscommit._types import Abandoned, CredentialProvider
from oscommit._writes import Writes


def init(root: str | os.PathLike[str]) -> None:
    """Makes an embedded store in the folder `root`: objects are files there, records are in SQLite. Again changes nothing.
    ConfigurationError where a store cannot be. Blocks."""
    Opened._native(_oscommit.init, os.fspath(root))


def url_of(place: str | os.PathLike[str]) -> str:
    """A path is that of an embedded store."""
    if not isinstance(place, pathlib.PurePath):
        return os.fspath(place)
    return f"file://{urllib.parse.quote(os.fsencode(os.path.abspath(place)))}"


class Store(Writes):
    """Where objects are, opened. Any number of threads and event loops may use one. Close it, or use it in `with`."""

    @classmethod
    def from_url(
        cls,
        url: str | os.PathLike[str],
        *,
        ledger: str | None = None,
        mkdir: bool = False,
        environment: bool = False,
        on_abandoned: Callable[[Abandoned], None] | None = None,
        logger: logging.Logger | None = None,
        credential_provider: CredentialProvider | None = None,
        **options: Any,
    ) -> Store:
        """Opens "s3://bucket[/prefix]" or "file:///root"; a pathlib.Path is the root of a store of files.

        ledger        where the records are: "dynamodb://TABLE", "sqlite:///FILE" (docs/configuration.md says where none is
                      needed)
        mkdir         makes the embedded store first, as `init`
        environment   fills what is not given from the OSCOMMIT_* variables of the tool
        logger        gets the library's log, in a thread of its own: what its level lets through when the store is opened
        credential_provider
                      a function that gives access keys, as of obstore. It is called in a thread of its own: when keys are
                      first needed, ten minutes before they expire, and when the store refuses them. What it raises is
                      logged, and calls end with UnauthenticatedError while there are no keys
        options       members of os_options by their names: s3_endpoint, s3_region, guard="record", access_key_id ...;
                      "region" and "endpoint" name those of S3

        ConfigurationError, UnknownConfigurationKeyError: nothing was sent. Blocks only for an embedded store, or with
        check_table."""
        text = url_of(url)
        if mkdir:
            if not text.startswith("file:///"):
                raise ValueError(f'Only a store of files can be made (mkdir), as "file:///root": "{text}" is none.')
            init(urllib.parse.unquote(text[len("file://") :]))
        store = cls._open(
            {"store_url": text, "ledger_url": ledger, **options}, environment, logger, credential_provider
        )
        store._url = text
        store.on_abandoned = on_abandoned or log_abandoned
        return store

    _url: str

    def __repr__(self) -> str:
        return f"Store({self._url!r}{', closed' if self.closed else ''})"

    def __reduce__(self) -> Any:
        """Another process opens a store of its own. What is pickled has the secrets that the options had."""
        return _reopen, (self._options, self._environment, *self._lent)


def _reopen(
    options: dict[str, Any],
    environment: bool,
    logger: logging.Logger | None,
    credential_provider: CredentialProvider | None,
) -> Store:
    more = {name: value for name, value in options.items() if name not in ("store_url", "ledger_url")}
    return Store.from_url(
        options["store_url"],
        ledger=options["ledger_url"],
        environment=environment,
        logger=logger,
        credential_provider=credential_provider,
        **more,
    )
