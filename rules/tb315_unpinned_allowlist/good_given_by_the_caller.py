"""Who builds the agent says which tools it has."""
import json

from openai import OpenAI


class Agent:
    def __init__(self, client: OpenAI, functions):
        self.client = client
        self.functions = {function.__name__: function for function in functions}

    def run(self, messages, tools):
        for _ in range(8):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.functions[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError("out of steps")
