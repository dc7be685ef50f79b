"""An `incomplete` response without calls is asked for again and again."""
import json

from openai import AsyncOpenAI


async def answer(client: AsyncOpenAI, items, tools, handlers):
    while True:
        response = await client.responses.create(model="gpt-5", input=items, tools=tools)
        calls = [item for item in response.output if item.type == "function_call"]
        for call in calls:
            items.append(call)
            output = await handlers[call.name](**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)})
        if not calls and response.status == "completed":  # expect: TB602
            return response.output_text
