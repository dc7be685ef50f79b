"""The gate's error shares a handler with the tools' own."""
import json
import time

from openai import AsyncOpenAI


class DeadlineExceeded(Exception):
    pass


class ToolFailure(Exception):
    pass


async def execute(handlers, name, arguments, deadline):
    if time.monotonic() > deadline:
        raise DeadlineExceeded(f"no time left for {name}")
    return await handlers[name](**arguments)


async def answer(client: AsyncOpenAI, items, tools, handlers):
    deadline = time.monotonic() + 120
    while True:
        response = await client.responses.create(model="gpt-5", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            try:
                output = await execute(handlers, call.name, json.loads(call.arguments), deadline)
            except (DeadlineExceeded, ToolFailure) as error:  # expect: TB501
                output = {"error": str(error)}
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)})
