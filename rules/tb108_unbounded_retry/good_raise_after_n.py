"""An endless loop whose handler re-raises after the fifth failure."""
import asyncio

from anthropic import AsyncAnthropic, RateLimitError


async def ask(client: AsyncAnthropic, messages, tools):
    failures = 0
    while True:
        try:
            return await client.messages.create(
                model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools
            )
        except RateLimitError:
            failures += 1
            if failures >= 5:
                raise
            await asyncio.sleep(failures)
