"""A bot that plays a game of Rabbit Space at random, beside three of the service's own."""

import asyncio
import sys

from hutch.client import connect


async def main(address: str) -> None:
    async with connect(address) as hutch:
        await hutch.guest("Ada")
        table = await hutch.create_table("rabbit-space", seats=4)
        seat = await table.claim(0)
        for other in (1, 2, 3):
            await table.assign_bot(other, "greedy")
        await table.start()
        async for turn in seat.play():
            await turn.answer(*turn.sample())
        print("points:", list((await table.get()).result.scores))


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50551"))
