# SPDX-License-Identifier: Apache-2.0
"""Writes to an object store that happen exactly once, and only if nothing changed."""

from oscommit._oscommit import VERSION as __version__
from oscommit._reading import GetResult, Listing
from oscommit._types import (
    Abandoned,
    CredentialProvider,
    Credentials,
    GetOptions,
    GuardedMetrics,
    ListResult,
    Metrics,
    ObjectMeta,
    PutMode,
    RequestMetrics,
    Result,
    UpdateVersion,
    VersionMeta,
)
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
    "CredentialProvider",
    "Credentials",
    "GetOptions",
    "GetResult",
    "GuardedMetrics",
    "Lease",
    "LeaseInfo",
    "LeaseLostError",
    "Leases",
    "ListResult",
    "Listing",
    "Lock",
    "LockInfo",
    "Locks",
    "Metrics",
    "NotFoundError",
    "ObjectMeta",
    "PreconditionError",
    "PutMode",
    "RequestMetrics",
    "Result",
    "Store",
    "Unknown",
    "UpdateVersion",
    "VersionMeta",
    "__version__",
    "abandoned",
    "init",
]
