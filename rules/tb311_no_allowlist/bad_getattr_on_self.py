"""Every method of the class can be called by name, the private ones too."""
import json

from openai import OpenAI


class Office:
    def __init__(self, tools):
        self.client = OpenAI()
        self.tools = tools

    def send_mail(self, to, text):
        return {"sent": to}

    def _wipe(self):
        return {"wiped": True}

    def run(self, messages):
        for _ in range(10):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = getattr(self, call.function.name)(**json.loads(call.function.arguments))  # expect: TB311
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError("out of steps")
