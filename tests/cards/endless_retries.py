"""A classifier agent that never gives up on its provider."""

import json
import time

from openai import APIConnectionError, OpenAI, RateLimitError
from tenacity import retry, stop_after_attempt, wait_fixed

client = OpenAI()

MAX_STEPS = 6
TOOLS = [{"type": "function", "function": {"name": "taxonomy", "parameters": {"type": "object"}}}]


def ask(messages):
    while True:
        try:
            return client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS)
        except RateLimitError:
            time.sleep(5)
            continue


@retry(wait=wait_fixed(2))
def second_opinion(messages):
    return client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=TOOLS)


@retry(wait=wait_fixed(2), stop=stop_after_attempt(4))
def taxonomy(area):
    return {"area": area, "labels": ["billing", "outage"]}


def ask_politely(messages):
    for attempt in range(3):
        try:
            return client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS)
        except APIConnectionError:
            time.sleep(2**attempt)
    raise TimeoutError("provider unreachable")


def classify(text):
    messages = [{"role": "user", "content": text}]
    for step in range(MAX_STEPS):
        response = ask(messages) if step else ask_politely(messages)
        message = response.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return second_opinion(messages).choices[0].message.content
        for call in message.tool_calls:
            if call.function.name != "taxonomy":
                raise LookupError(call.function.name)
            result = taxonomy(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("steps exceeded")
