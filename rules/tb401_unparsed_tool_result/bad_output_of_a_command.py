"""What a command printed is what the model reads."""
import json
import subprocess

from openai import OpenAI


def shell(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=20)
    return done.stdout[-3000:]


HANDLERS = {"shell": shell}


def operate(client: OpenAI, items, tools):
    for _ in range(20):
        response = client.responses.create(model="gpt-5", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            output = HANDLERS[call.name](**json.loads(call.arguments))  # expect: TB401
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    raise RuntimeError("out of steps")
