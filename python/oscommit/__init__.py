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
from oscommit.async_transactions import AsyncTransaction
from oscommit.client import Client
from oscommit.documents import Document, DocumentEntry, DocumentModel, Documents, DocumentVersions, DocumentWrite
from oscommit.exceptions import (
    AlreadyExistsError,
    BaseError,
    ConflictError,
    ContentionError,
    InvalidFieldError,
    LeaseLostError,
    NotFoundError,
    PreconditionError,
    Unknown,
    abandoned,
)
from oscommit.leases import Lease, LeaseInfo, Leases
from oscommit.locks import Lock, LockInfo, Locks
from oscommit.models import Model
from oscommit.queries import AsyncQuery, Query
from oscommit.stages import Garbage, Intents, Sweep
from oscommit.store import Store, init
from oscommit.transactions import Transaction

__all__ = [
    "Abandoned",
    "AlreadyExistsError",
    "AsyncQuery",
    "AsyncTransaction",
    "BaseError",
    "Client",
    "ConflictError",
    "ContentionError",
    "CredentialProvider",
    "Credentials",
    "Document",
    "DocumentEntry",
    "DocumentModel",
    "DocumentVersions",
    "DocumentWrite",
    "Documents",
    "Garbage",
    "GetOptions",
    "GetResult",
    "GuardedMetrics",
    "Intents",
    "InvalidFieldError",
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
    "Model",
    "NotFoundError",
    "ObjectMeta",
    "PreconditionError",
    "PutMode",
    "Query",
    "RequestMetrics",
    "Result",
    "Store",
    "Sweep",
    "Transaction",
    "Unknown",
    "UpdateVersion",
    "VersionMeta",
    "__version__",
    "abandoned",
    "init",
]
