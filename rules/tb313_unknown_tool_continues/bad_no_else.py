"""A chain without an `else`: what fits nowhere is passed over."""
import json

from openai import OpenAI


def add(a, b):
    return a + b


def negate(a):
    return -a


def reckon(client: OpenAI, items, tools):
    for _ in range(8):
        response = client.responses.create(model="gpt-5", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            output = None
            arguments = json.loads(call.arguments)
            match call.name:
                case "add":
                    output = add(**arguments)
                case "negate":  # expect: TB313
                    output = negate(**arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)})
    raise RuntimeError("out of steps")
