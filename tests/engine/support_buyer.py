"""A second instance of the app, as far as buying answers goes: run by tests as a process.

Usage: python -m tests.engine.support_buyer DATABASE ADDRESS COUNT. Prints `ready`, waits for a
line, gets the answers to COUNT requests, and prints how many it bought and all texts as JSON.
"""

import asyncio
import json
import sys

from eval_tui.engine.client import Answer
from eval_tui.engine.owners import new_owner
from eval_tui.engine.verdicts import Verdicts
from tests.engine.support_client import credentials, model_client, request


async def main(path: str, address: str, count: int) -> None:
    import anthropic  # noqa: F401  (so that both instances begin at the same moment)

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    verdicts, owner = Verdicts(path), new_owner()
    client = model_client(credentials(address), 8)
    bought = 0

    async def one(number: int) -> str:
        nonlocal bought
        digest = f"digest-{number}"
        known = await verdicts.get_or_claim(digest, 0, owner)
        if known is not None:
            return str(known.answer.content)
        try:
            answer = await client.ask(request(f"DELAY: 0.02\nRESPOND: text {number}"))
            assert isinstance(answer, Answer), answer
            bought += 1
            kept = {"usage": answer.usage, "cost": 0.25, "model": answer.model}
            verdicts.put(digest, 0, answer, **kept, run="r", case=str(number), judge="j")
        finally:
            verdicts.release(digest, 0, owner)
        return str(answer.content)

    texts = await asyncio.gather(*(one(number) for number in range(count)))
    await client.close()
    verdicts.close()
    print(json.dumps([bought, texts]), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
