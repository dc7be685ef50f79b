"""A tool is called over and over until it stops failing."""
import asyncio


async def call_tool(session, name, arguments):
    while True:  # expect: TB108
        try:
            result = await session.call_tool(name, arguments)
            break
        except ConnectionError:
            await asyncio.sleep(1)
    return result
