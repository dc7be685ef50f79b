"""That the attribute exists says nothing about whether it may be called."""
import json

from openai import AsyncOpenAI


async def answer(client: AsyncOpenAI, items, tools, toolbox):
    for _ in range(8):
        response = await client.responses.create(model="gpt-5", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            output = "no such tool"
            if hasattr(toolbox, call.name):
                output = await getattr(toolbox, call.name)(**json.loads(call.arguments))  # expect: TB311
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    raise RuntimeError("out of steps")
