"""There is a limit, and by default it is infinity."""
import json

import litellm


class Concierge:
    def __init__(self, model, tools, handlers):
        self.model = model
        self.tools = tools
        self.handlers = handlers

    def run(self, messages, max_turns=float("inf")):
        turns = 0
        while turns < max_turns:  # expect: TB101
            turns += 1
            reply = litellm.completion(model=self.model, messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                output = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": str(output)})
        return messages
