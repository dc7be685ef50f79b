"""Both twins read the same limit."""
import json

from openai import AsyncOpenAI, OpenAI


class Agent:
    def __init__(self, tools, handlers, limit=8):
        self.client, self.async_client = OpenAI(), AsyncOpenAI()
        self.tools, self.handlers, self.limit = tools, handlers, limit

    def run_all(self, messages):
        for _ in range(self.limit):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            messages += [self.answer(call) for call in message.tool_calls]
        raise RuntimeError("step budget exceeded")

    async def arun_all(self, messages):
        for _ in range(self.limit):
            create = self.async_client.chat.completions.create
            reply = await create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            messages += [self.answer(call) for call in message.tool_calls]
        raise RuntimeError("step budget exceeded")

    def answer(self, call):
        result = self.handlers[call.function.name](**json.loads(call.function.arguments))
        return {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)}
