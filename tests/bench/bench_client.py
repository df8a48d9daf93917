"""Throughput of model calls against the stand-in server: prints figures, asserts nothing.

Run as: python -m tests.bench.bench_client [CALLS] [CONCURRENCY] [DELAY]
The server runs in a process of its own, so that it does not share our interpreter.
"""

import asyncio
import subprocess
import sys
import time

from eval_tui.engine.client import Answer
from tests.engine.support_client import credentials, model_client, verdict_request


async def measure(address: str, calls: int, concurrency: int, delay: float) -> None:
    client = model_client(credentials(address), concurrency)
    began = time.perf_counter()
    await client.ask(verdict_request("first"))
    print(f"first call, with the import of the SDK: {time.perf_counter() - began:.2f} s")
    gaps: list[float] = []
    done = asyncio.Event()

    async def tick() -> None:
        while not done.is_set():
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - before - 0.005)

    ticking = asyncio.ensure_future(tick())
    began, worked = time.perf_counter(), time.process_time()
    asked = (client.ask(verdict_request(f"DELAY: {delay}\ncase {i}")) for i in range(calls))
    outcomes = await asyncio.gather(*asked)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    done.set()
    await ticking
    await client.close()
    ideal = calls * delay / concurrency
    answered = sum(isinstance(outcome, Answer) for outcome in outcomes)
    print(
        f"{answered}/{calls} answered in {seconds:.2f} s: {seconds / ideal:.2f} x ideal {ideal:g} s"
    )
    print(f"CPU of this process: {1000 * worked / calls:.1f} ms a call")
    gaps.sort()
    middle, worst = gaps[len(gaps) // 2], gaps[-1]
    print(f"event loop held: median {middle * 1000:.1f} ms, worst {worst * 1000:.0f} ms")


def main() -> None:
    given = sys.argv[1:]
    calls, concurrency = (int(given[i]) if len(given) > i else n for i, n in ((0, 400), (1, 20)))
    delay = float(given[2]) if len(given) > 2 else 0.2
    command = [sys.executable, "-m", "tests.support.fake_anthropic"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        asyncio.run(measure(address, calls, concurrency, delay))
        server.terminate()


if __name__ == "__main__":
    main()
