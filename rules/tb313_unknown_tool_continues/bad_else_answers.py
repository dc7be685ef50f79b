"""The last branch of the chain answers the model."""
from anthropic import Anthropic


def look_up(word):
    return f"{word}: a word"


def spell(word):
    return "-".join(word)


def help_writing(client: Anthropic, messages, tools):
    for _ in range(8):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            if call.name == "look_up":
                text = look_up(**call.input)
            elif call.name == "spell":  # expect: TB313
                text = spell(**call.input)
            else:
                text = f"{call.name} is not a tool; use look_up or spell"
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
