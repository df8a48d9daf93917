"""Threads that nobody waits for at the end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from eval_tui.engine.threads import in_thread


async def test_the_result_and_the_error_arrive() -> None:
    assert await in_thread(lambda: 6 * 7) == 42
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 / 0)


def test_leaving_does_not_wait_for_work_that_never_ends() -> None:
    program = (
        "import asyncio, threading\n"
        "from eval_tui.engine.threads import in_thread\n"
        "async def main():\n"
        "    begun = threading.Event()\n"
        "    def never():\n"
        "        begun.set()\n"
        "        threading.Event().wait()\n"
        "    task = asyncio.ensure_future(in_thread(never))\n"
        "    await in_thread(begun.wait)\n"
        "    task.cancel()\n"
        "asyncio.run(main())\n"
        "print('left')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("left\n", "", 0)
