"""What the engine needs of those who judge: batches in, messages out, wherever the work is done.

`Pool` has its workers on this machine, `DaskPool` on a cluster.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Protocol

from eval_tui.engine.batches import Batch, CellName
from eval_tui.engine.crew import Crew
from eval_tui.engine.outbox import OnMessage
from eval_tui.engine.pool import Pool
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.supervisor import SupervisorFactory

if TYPE_CHECKING:
    from eval_tui.engine.project import Options


class Workers(Protocol):
    """Runs batches of cells. Belongs to one event loop; see `Pool` for the messages."""

    @property
    def size(self) -> int:
        """How many batches run at once; known after `start`."""
        ...

    @property
    def python(self) -> str:
        """The interpreter of the judges and its version; empty until it is ready."""
        ...

    @property
    def crew(self) -> Crew:
        """Forks local workers for other errands."""
        ...

    @property
    def room(self) -> int:
        """How many more batches may be submitted."""
        ...

    async def start(self) -> None:
        """Get ready; what is in the way is told by a `broken` message."""
        ...

    def new_generation(self, setup: dict[str, Any], *, keep_running: bool = False) -> int:
        """From now on batches are run by workers that are set up so; the generation's number."""
        ...

    def submit(self, batch: Batch) -> None:
        """Queue a batch; one of an old generation is cancelled."""
        ...

    def cancel(self, batch_ids: Collection[int] | None = None) -> None:
        """Cancel batches, all by default."""
        ...

    def at_work(self, seconds: float) -> list[CellName]:
        """Cells whose judge is known to be running for at least so long."""
        ...

    async def view(self, request: dict[str, Any], timeout: float = 20.0) -> dict[str, Any]:
        """Ask a worker that runs no user code. Raises ViewError and TimeoutError."""
        ...

    async def close(self) -> None:
        """End everything that was started."""
        ...


def workers_for(
    options: Options,
    supervisors: SupervisorFactory,
    size: int,
    on_message: OnMessage,
    secrets: Secrets,
) -> Workers:
    """The workers that were asked for: `size` of this machine, or those of a cluster."""
    if not options.dask:
        return Pool(supervisors, size, on_message, secrets)
    from eval_tui.engine.dask_pool import DaskPool

    return DaskPool(options.dask, supervisors, on_message, secrets, options.python)
