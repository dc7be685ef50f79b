"""A method's default forces each turn, as no caller says otherwise."""
import json

from openai import OpenAI


class Scout:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers

    def _ask(self, messages, choice="required"):
        return self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools, tool_choice=choice)  # expect: TB601

    def run(self, messages):
        for _ in range(9):
            message = self._ask(messages).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError("out of steps")
