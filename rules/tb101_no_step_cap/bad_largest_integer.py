"""A range as long as the machine allows is no bound."""
import json
import sys

from openai import OpenAI

NO_LIMIT = sys.maxsize


def crawl(client: OpenAI, items, tools, registry):
    for _ in range(NO_LIMIT):  # expect: TB101
        response = client.responses.create(model="gpt-5", input=items, tools=tools)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        items += response.output
        for call in calls:
            output = registry[call.name](**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(output)})
