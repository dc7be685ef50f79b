"""A thousand cases of one turn each are data, not steps."""
from openai import OpenAI


def replay(client: OpenAI, questions, tools):
    names = []
    for number in range(1000):
        reply = client.chat.completions.create(
            model="gpt-4.1-mini", messages=[{"role": "user", "content": questions[number]}], tools=tools
        )
        calls = reply.choices[0].message.tool_calls or []
        names.append([call.function.name for call in calls])
    return names
