"""A resume makes a fresh budget under the id of the dead run."""
import json
from dataclasses import dataclass

from openai import OpenAI


@dataclass
class Budget:
    run_id: str
    used: int = 0


def run(client: OpenAI, budget: Budget, messages, tools, handlers):
    while budget.used < 8:
        budget.used += 1
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise TimeoutError(budget.run_id)


def resume(client, record, tools, handlers):
    budget = Budget(record["run_id"])  # expect: TB704
    return run(client, budget, record["messages"], tools, handlers)
