"""Work in a thread that nobody waits for when the process ends.

asyncio's own executor is joined at the end: leaving would last as long as a walk through a large
tree, or as an import on a slow disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """What `work` returns or raises. When cancelled, the work goes on and its end is not heard."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def tell(setter: Callable[[], None]) -> None:
        if not result.done():
            setter()

    def run() -> None:
        try:
            value = work()
        except BaseException as exc:
            error = exc

            def setter() -> None:
                result.set_exception(error)
        else:

            def setter() -> None:
                result.set_result(value)

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
            loop.call_soon_threadsafe(tell, setter)

    threading.Thread(target=run, daemon=True, name=getattr(work, "__name__", "aside")).start()
    return await result
