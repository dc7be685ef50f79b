"""A constant names the one tool that every turn has to call."""
import json

from openai import OpenAI

ALWAYS_SEARCH = {"type": "function", "name": "search"}


def look_up(client: OpenAI, items, tools, handlers):
    for _ in range(5):
        response = client.responses.create(model="gpt-5", input=items, tools=tools, tool_choice=ALWAYS_SEARCH)  # expect: TB601
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            output = handlers[call.name](**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)})
    raise RuntimeError("out of steps")
