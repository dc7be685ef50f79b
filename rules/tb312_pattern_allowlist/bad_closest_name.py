"""A name that is nearly right runs the tool that looks most like it."""
import difflib
import json

from openai import AsyncOpenAI


async def answer(client: AsyncOpenAI, items, tools, handlers):
    for _ in range(6):
        response = await client.responses.create(model="gpt-5", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            close = difflib.get_close_matches(call.name, handlers, n=1, cutoff=0.6)  # expect: TB312
            if not close:
                raise LookupError(call.name)
            output = await handlers[close[0]](**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)})
    raise RuntimeError("out of steps")
