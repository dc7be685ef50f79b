"""The error is noted in the transcript, and no turn follows."""
import json

import litellm


class StepLimitExceeded(Exception):
    pass


class Painter:
    def __init__(self, tools, handlers, max_steps=6):
        self.tools = tools
        self.handlers = handlers
        self.max_steps = max_steps
        self.steps = 0

    def step(self, messages):
        self.steps += 1
        if self.steps > self.max_steps:
            raise StepLimitExceeded("the step limit is reached")
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=self.tools).choices[0].message
        messages.append(message)
        for call in message.tool_calls or []:
            result = self.handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        return not message.tool_calls

    def run(self, messages):
        done = False
        while not done:
            try:
                done = self.step(messages)
            except StepLimitExceeded as limit:
                messages.append({"role": "user", "content": str(limit)})
                break
        return messages
