"""Before: the comment was there before."""
from openai import OpenAI

client = OpenAI()
TOOLS = {"search": print}


def answer(messages, tools):
    while True:  # toolbind: ignore[TB101, TB201] the queue kills it after a minute
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
