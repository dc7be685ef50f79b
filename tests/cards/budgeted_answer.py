"""Answers a question with tools under four bounds: steps, tokens, wall clock and repeats."""

import json
import os
import time

from openai import OpenAI

openai_client = OpenAI()
MODEL_NAME = os.environ["ANSWER_MODEL"]


def answer_with_tools(conversation, tool_specs, registry, step_limit=8, token_limit=50_000, wall_s=60):
    called, tokens, began = set(), 0, time.monotonic()
    for index in range(step_limit):
        closing = index == step_limit - 1 or time.monotonic() - began > wall_s
        completion = openai_client.chat.completions.create(
            model=MODEL_NAME, messages=conversation, tools=tool_specs,
            tool_choice="none" if closing else "auto",
        )
        tokens += completion.usage.total_tokens
        reply = completion.choices[0].message
        if not reply.tool_calls:
            return reply.content
        conversation.append(reply)
        for request in reply.tool_calls:
            signature = (request.function.name, request.function.arguments)
            if signature in called:
                text = json.dumps({"error": "this call was made before; change the arguments"})
            else:
                called.add(signature)
                try:
                    arguments = json.loads(request.function.arguments)
                    text = json.dumps(registry[request.function.name](**arguments))
                except Exception as exc:
                    text = json.dumps({"error": str(exc)})
            conversation.append({"role": "tool", "tool_call_id": request.id, "content": text})
        if tokens > token_limit:
            break
    return None
