"""Structured output: one forced call for each record, and no second turn."""
from anthropic import Anthropic

client = Anthropic()


def label(records, schema):
    labels = []
    for record in records:
        reply = client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=300,
            messages=[{"role": "user", "content": record}],
            tools=[schema],
            tool_choice={"type": "tool", "name": schema["name"]},
        )
        labels.append(reply.content[0].input)
    return labels
