"""Tokens are added up and end the run; repeats are answered; the last turn has no tools."""

import json
import logging

from openai import OpenAI

log = logging.getLogger("spending")
client = OpenAI(timeout=10, max_retries=0)
MAX_TURNS = 6


class Spent(Exception):
    pass


def advise(run_id, messages, tools, handlers):
    tokens, seen = 0, set()
    for turn in range(MAX_TURNS):
        log.info("turn", extra={"run_id": run_id, "turn": turn, "max_turns": MAX_TURNS, "tokens": tokens})
        choice = "none" if turn == MAX_TURNS - 1 else "auto"
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools, tool_choice=choice)
        tokens += reply.usage.total_tokens
        if tokens > 50_000:
            raise Spent(run_id)
        message = reply.choices[0].message
        if reply.choices[0].finish_reason == "length":
            raise Spent(run_id)
        if not message.tool_calls:
            return message.content
        messages.append(message)
        for call in message.tool_calls:
            key = (call.function.name, call.function.arguments)
            if key in seen:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "asked before"})
                continue
            seen.add(key)
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise Spent(run_id)
