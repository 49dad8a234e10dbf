# SPDX-License-Identifier: Apache-2.0
"""What a call raises. The names are obstore's where obstore has one; those of Python's own exceptions are bases.

Each has `verdict`: "conflict", "not executed" or "unknown" of a guarded write, None of a plain call. After "conflict" and
"not executed" nothing was written and nothing of this call will be. After "unknown" (only `Unknown` has it) the write may
have been applied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oscommit._types import Abandoned, Result
    from oscommit._writes import Writes
    from oscommit.documents import DocumentVersions


class BaseError(Exception):
    """The base of all. The message is a sentence that says what failed, on what, and what to do."""

    verdict: str | None = None
    """ "conflict", "not executed", "unknown", or None of a plain call."""
    code: str = ""
    """The library's code, such as "OS_ERR_DENIED" (oscommit.h)."""
    http_status: int = 0
    """0: there was no HTTP answer."""
    service_code: str = ""
    """What the service called it: "AccessDenied"."""
    request_id: str = ""
    """What the service's support asks for."""
    result: Result | None = None
    """How a guarded write went, as far as it went."""


class GenericError(BaseError):
    """A failure without a class of its own: see `code`."""


class ConfigurationError(BaseError, ValueError):
    """A setting cannot be: the message names it. Nothing was sent."""


class UnknownConfigurationKeyError(ConfigurationError):
    """There is no option of that name."""


class InvalidPathError(BaseError, ValueError):
    """A key or another argument cannot be. Nothing was sent."""


class InvalidFieldError(BaseError, ValueError):
    """A model, a field, its value or a step of a transaction cannot be: the message says why. Nothing was applied."""


class NotSupportedError(BaseError):
    """This store, or this way to reach it, cannot do that."""


class NotFoundError(BaseError, FileNotFoundError):
    """There is no such object, bucket or table."""


class SourceError(NotFoundError):
    """The source of a copy or rename is missing, or is not the version that was asked for."""


class ConflictError(BaseError):
    """The expectation did not hold: the write was not applied and never will be. Read the object, and decide anew."""


class AlreadyExistsError(ConflictError, FileExistsError):
    """Something is there already, and it is not of this call."""


class PreconditionError(ConflictError):
    """The object, or the document, is not the version that was asked for, or is gone."""

    versions: DocumentVersions | None = None
    """Of a document: those that were found, as far as they are known."""


class ContentionError(ConflictError):
    """Others were faster in every run of a transaction: nothing was applied. The same transaction may be made again."""

    retryable = False
    """Raised within a transaction: whether its function runs again."""


class NotModifiedError(BaseError):
    """The object is the version that the caller has (`if_none_match`)."""


class PermissionDeniedError(BaseError, PermissionError):
    """The credentials do not allow it."""


class UnauthenticatedError(BaseError):
    """There are no usable credentials."""


class DeadlineError(BaseError, TimeoutError):
    """The time was up before anything was certain to be applied. The same call may be made again."""


class CancelledError(BaseError):
    """The store was closed, or the call was cancelled. Not asyncio's exception of that name."""


class InFlightError(BaseError):
    """`max_in_flight` operations are under way: start this one when some have completed."""


class BusyError(BaseError):
    """A record of another write is in the way. The same call may be made again."""


class ThrottledError(BaseError):
    """The service asks to slow down. The same call may be made again."""


class NetworkError(BaseError, ConnectionError):
    """Store or table could not be reached, or not by TLS. The same call may be made again."""


class TooLargeError(BaseError):
    """The object, or what an update made, is larger than it may be."""


class LeaseLostError(BaseError):
    """The lease is lost: another may hold it."""


class Unknown(BaseError):
    """The write may have been applied, or may still be. It is neither a success nor a failure.

    Keep `ticket`, a line of JSON without secrets: it lets any process find out what became of the write, by
    `Store.resolve(ticket)` or `Store.settle(ticket)`. Until then delete nothing that the write could refer to, and do not
    make the call again, as that could apply it twice. `resolve()` and `settle()` of this object do the same on its store.

    A ticket of a transaction is for `Client.resolve(ticket)`, one of a document for `Documents.resolve(ticket)`.

    `ticket` is None of a plain write (an overwrite, a delete without `if_match`), of a rename that one request does, and of the
    delete of a document. Look at what is there then.
    """

    ticket: str | None = None
    final: bool = False
    """No evidence is left that could decide: asking again does not help. Compare the object."""
    ask_again_ms: int = 0
    """After so many milliseconds it makes sense to ask; 0: when the cause in the message is gone."""
    _store: Writes | None = None

    def __reduce__(self) -> Any:
        state = {name: value for name, value in self.__dict__.items() if name != "_store"}
        return type(self), self.args, state

    def _asked(self) -> tuple[Writes, str]:
        if self.ticket is None:
            raise ValueError("This write has no ticket: look at the object.")
        if self._store is None:
            raise ValueError(
                "This exception came from another process, or is not of a store: call resolve(ticket) of the store, the client "
                "or the documents that wrote it."
            )
        return self._store, self.ticket

    def resolve(self, *, deadline_s: float | None = None) -> Result:
        """Asks what became of the write. Blocks. Returns if it is committed; else raises as the call would have: the
        exception of its conflict, of its "not executed", or `Unknown` again, whose ticket may know more."""
        store, ticket = self._asked()
        return store.resolve(ticket, deadline_s=deadline_s)

    def settle(self, *, deadline_s: float | None = None) -> Result:
        """As `resolve`, and goes on until the verdict is final or the deadline [120 s] has passed."""
        store, ticket = self._asked()
        return store.settle(ticket, deadline_s=deadline_s)

    async def resolve_async(self, *, deadline_s: float | None = None) -> Result:
        """`resolve` without blocking."""
        store, ticket = self._asked()
        return await store.resolve_async(ticket, deadline_s=deadline_s)

    async def settle_async(self, *, deadline_s: float | None = None) -> Result:
        """`settle` without blocking."""
        store, ticket = self._asked()
        return await store.settle_async(ticket, deadline_s=deadline_s)


_BY_CODE: dict[str, type[BaseError]] = {
    "OS_ERR_ARGUMENT": InvalidPathError,
    "OS_ERR_CONFIG": ConfigurationError,
    "OS_ERR_CREDENTIALS": UnauthenticatedError,
    "OS_ERR_DENIED": PermissionDeniedError,
    "OS_ERR_NOT_FOUND": NotFoundError,
    "OS_ERR_NO_BUCKET": NotFoundError,
    "OS_ERR_NO_TABLE": NotFoundError,
    "OS_ERR_CONFLICT": ConflictError,
    "OS_ERR_SOURCE": SourceError,
    "OS_ERR_TOO_LARGE": TooLargeError,
    "OS_ERR_THROTTLED": ThrottledError,
    "OS_ERR_DEADLINE": DeadlineError,
    "OS_ERR_CANCELLED": CancelledError,
    "OS_ERR_BUSY": BusyError,
    "OS_ERR_NETWORK": NetworkError,
    "OS_ERR_TLS": NetworkError,
    "OS_ERR_UNSUPPORTED": NotSupportedError,
    "OS_ERR_UNDECIDED": Unknown,
    "OS_ERR_IN_FLIGHT": InFlightError,
}


def error_of(
    failure: tuple[str, int, str, str, str],
    kind: type[BaseError] | None = None,
    verdict: str | None = None,
    result: Result | None = None,
) -> BaseError:
    """The exception of what the library says; by its code unless `kind` is given."""
    code, http_status, service_code, request_id, message = failure
    error = (kind or _BY_CODE.get(code, GenericError))(message)
    error.code, error.http_status = code, http_status
    error.service_code, error.request_id = service_code, request_id
    error.verdict, error.result = verdict, result
    if isinstance(error, Unknown):
        error.verdict = "unknown"
    return error


def abandoned(error: BaseException) -> Abandoned | None:
    """What became of the guarded write that was cancelled or interrupted when `error` was raised: of a CancelledError, a
    KeyboardInterrupt, and of a TimeoutError that came of one. None: nothing was applied, and nothing will be."""
    link: BaseException | None = error
    while link is not None:
        found: Abandoned | None = getattr(link, "oscommit", None)
        if found is not None:
            return found
        link = link.__cause__ or link.__context__
    return None
