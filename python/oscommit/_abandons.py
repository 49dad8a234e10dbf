# SPDX-License-Identifier: Apache-2.0
"""Who is told of writes whose callers no longer wait for them."""

from __future__ import annotations

import logging
from typing import Callable

from oscommit._opened import Opened
from oscommit._types import Abandoned

_log = logging.getLogger("oscommit")


def log_abandoned(abandoned: Abandoned) -> None:
    if abandoned.verdict == "committed":
        _log.info("The %s was committed, though its call was cancelled.", abandoned.what)
    else:
        _log.warning(
            "The %s may have been applied, and its call was cancelled. Ticket: %s", abandoned.what, abandoned.ticket
        )


class Abandons(Opened):
    """What writes, and has callers that may not wait."""

    on_abandoned: Callable[[Abandoned], None]
    """Is told of each guarded write and each transaction that was, or may have been, applied after its call was cancelled or
    interrupted. Runs where that call waited, before its exception is raised; where nobody waits, on any thread. By default it
    is logged: an unknown one as a warning with its ticket."""

    def _abandoned(self, abandoned: Abandoned) -> None:
        try:
            self.on_abandoned(abandoned)
        except Exception:
            _log.exception("on_abandoned raised. The %s: %s", abandoned.what, abandoned)
