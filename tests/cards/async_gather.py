"""A research assistant that runs the calls of one reply side by side."""

import asyncio
import json

from openai import AsyncOpenAI

client = AsyncOpenAI()

MAX_ROUNDS = 6
MAX_CALLS = 20


class CallBudgetExceeded(Exception):
    """The run has used up its tool calls."""


class CallBudget:
    def __init__(self, limit):
        self.limit = limit
        self.used = 0

    def take(self):
        if self.used >= self.limit:
            raise CallBudgetExceeded(f"{self.limit} calls")
        self.used += 1


async def search(query):
    await asyncio.sleep(0.1)
    return {"hits": [query]}


async def fetch_page(url):
    await asyncio.sleep(0.1)
    return {"text": url}


HANDLERS = {"search": search, "fetch_page": fetch_page}


async def call_tool(budget, call):
    budget.take()
    handler = HANDLERS[call.function.name]
    return await asyncio.wait_for(handler(**json.loads(call.function.arguments)), timeout=10)


async def research(question, tools):
    messages = [{"role": "user", "content": question}]
    budget = CallBudget(MAX_CALLS)
    async with asyncio.timeout(120):
        for _ in range(MAX_ROUNDS):
            response = await client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools)
            message = response.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            results = await asyncio.gather(*(call_tool(budget, c) for c in message.tool_calls), return_exceptions=True)
            for call, result in zip(message.tool_calls, results):
                content = {"error": "failed"} if isinstance(result, BaseException) else result
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(content)})
    raise RuntimeError("no answer within the allowed rounds")
