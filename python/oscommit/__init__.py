# SPDX-License-Identifier: Apache-2.0
"""Writes to an object store that happen exactly once, and only if nothing changed."""

from oscommit._oscommit import VERSION as __version__
from oscommit._reading import GetResult, Listing
from oscommit._types import Abandoned, GetOptions, ListResult, ObjectMeta, PutMode, Result, UpdateVersion, VersionMeta
from oscommit.exceptions import (
    AlreadyExistsError,
    BaseError,
    ConflictError,
    LeaseLostError,
    NotFoundError,
    PreconditionError,
    Unknown,
    abandoned,
)
from oscommit.leases import Lease, LeaseInfo, Leases
from oscommit.locks import Lock, LockInfo, Locks
from oscommit.store import Store, init

__all__ = [
    "Abandoned",
    "AlreadyExistsError",
    "BaseError",
    "ConflictError",
    "GetOptions",
    "GetResult",
    "Lease",
    "LeaseInfo",
    "LeaseLostError",
    "Leases",
    "ListResult",
    "Listing",
    "Lock",
    "LockInfo",
    "Locks",
    "NotFoundError",
    "ObjectMeta",
    "PreconditionError",
    "PutMode",
    "Result",
    "Store",
    "Unknown",
    "UpdateVersion",
    "VersionMeta",
    "__version__",
    "abandoned",
    "init",
]
