"""A helper that each pass calls compares and raises."""
import json
import time


class Budget:
    def __init__(self, seconds: float = 60) -> None:
        self.deadline = time.monotonic() + seconds

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def check(self) -> None:
        if self.left() <= 0:
            raise TimeoutError("wall clock")


def answer(client, messages: list, tools: list, handlers: dict) -> str:
    budget = Budget()
    for _ in range(8):
        budget.check()
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
