"""A tool loop whose handler tries the request again three times, and cuts the history where it was too long."""
import time

from openai import APIConnectionError, BadRequestError, OpenAI


def run(client: OpenAI, messages, tools, table):
    failures = 0
    for _ in range(20):
        while True:
            try:
                reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
                break
            except APIConnectionError:
                failures += 1
                if failures > 3:
                    raise
                time.sleep(failures)
            except BadRequestError:
                if len(messages) < 4:
                    raise
                messages = [messages[0], *messages[3:]]
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            answer = table[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": answer})
    raise RuntimeError("out of steps")
