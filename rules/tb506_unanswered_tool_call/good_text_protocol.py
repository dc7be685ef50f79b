"""Actions that are read out of a text are no calls that a provider pairs."""

import re

from openai import OpenAI

client = OpenAI(timeout=30)
MAX_STEPS = 8


def run(messages, handlers):
    for _ in range(MAX_STEPS):
        reply = client.chat.completions.create(model="m", messages=messages)
        text = reply.choices[0].message.content
        messages.append({"role": "assistant", "content": text})
        actions = re.findall(r"Action: (\w+)\((.*)\)", text)
        if not actions:
            return text
        for name, argument in actions:
            if name not in handlers:
                continue
            messages.append({"role": "user", "content": handlers[name](argument)})
    raise RuntimeError("step cap")
