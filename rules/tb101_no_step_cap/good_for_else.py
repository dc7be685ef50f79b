"""A `for` with an `else` that speaks up when the steps are used up."""
import json

from openai import AsyncOpenAI


async def negotiate(client: AsyncOpenAI, items, tools, handlers):
    for _ in range(6):
        response = await client.responses.create(model="gpt-5-mini", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            break
        for call in calls:
            offer = await handlers[call.name](**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(offer)})
    else:
        raise TimeoutError("no deal after 6 rounds")
    return response.output_text
