"""Loops around models and tools that are no tool loops: each must stay silent."""

import json
import time

from openai import OpenAI
from pydantic import BaseModel, ValidationError

client = OpenAI()
TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]


class Invoice(BaseModel):
    number: str
    total: float


def small_talk():
    messages = []
    while True:
        line = input("you: ")
        if line == "bye":
            break
        messages.append({"role": "user", "content": line})
        reply = client.chat.completions.create(model="gpt-4o-mini", messages=messages)
        messages.append(reply.choices[0].message)
        print(reply.choices[0].message.content)


def all_files():
    after = None
    while True:
        page = client.files.list(after=after) if after else client.files.list()
        yield from page.data
        if not page.has_more:
            return
        after = page.data[-1].id


def read_stream(messages):
    calls = {}
    for chunk in client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS, stream=True):
        for delta in chunk.choices[0].delta.tool_calls or []:
            call = calls.setdefault(delta.index, {"name": "", "arguments": ""})
            call["name"] += delta.function.name or ""
            call["arguments"] += delta.function.arguments or ""
    return list(calls.values())


def wait_for_batch(batch_id):
    while True:
        batch = client.batches.retrieve(batch_id)
        if batch.status in {"completed", "failed", "expired", "cancelled"}:
            return batch
        time.sleep(10)


def tool_accuracy(cases):
    right = 0
    for case in cases:
        reply = client.chat.completions.create(model="gpt-4o", messages=case["messages"], tools=TOOLS)
        calls = reply.choices[0].message.tool_calls or []
        right += [call.function.name for call in calls] == case["expected"]
    return right / len(cases)


def extract(text):
    messages = [{"role": "user", "content": f"Return the invoice as JSON:\n{text}"}]
    for _ in range(3):
        content = client.chat.completions.create(model="gpt-4o", messages=messages).choices[0].message.content
        try:
            return Invoice.model_validate_json(content)
        except ValidationError as exc:
            messages.append({"role": "user", "content": f"That was invalid: {exc}"})
    raise ValueError("no valid invoice")


def to_anthropic(messages):
    converted = []
    for message in messages:
        for call in message.get("tool_calls", []):
            converted.append({"type": "tool_use", "id": call["id"], "name": call["function"]["name"],
                              "input": json.loads(call["function"]["arguments"])})
    return converted
