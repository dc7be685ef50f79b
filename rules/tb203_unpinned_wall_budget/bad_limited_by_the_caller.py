"""A caller waits so long for the run, if somebody has said how long."""
import json
from concurrent.futures import ThreadPoolExecutor

from openai import OpenAI


class Agent:
    max_seconds: int | None = None

    def run(self, client: OpenAI, messages: list, tools: list, handlers: dict) -> str:
        if self.max_seconds is not None:
            return self.timed(client, messages, tools, handlers, self.max_seconds)
        return self.answer(client, messages, tools, handlers)

    def timed(self, client: OpenAI, messages: list, tools: list, handlers: dict, seconds: int) -> str:
        pool = ThreadPoolExecutor(max_workers=1)
        future = pool.submit(self.answer, client, messages, tools, handlers)
        return future.result(timeout=seconds)  # expect: TB203

    def answer(self, client: OpenAI, messages: list, tools: list, handlers: dict) -> str:
        for _ in range(8):
            message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError("out of steps")
