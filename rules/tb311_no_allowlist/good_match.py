"""So is a `match` on literals."""
import json

from openai import OpenAI


def play(client: OpenAI, items, tools, player):
    for _ in range(7):
        response = client.responses.create(model="gpt-5-mini", input=items, tools=tools)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            arguments = json.loads(call.arguments)
            match call.name:
                case "play":
                    output = player.play(arguments["title"])
                case "pause" | "stop":
                    output = player.pause()
                case _:
                    raise LookupError(call.name)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    raise RuntimeError("out of steps")
