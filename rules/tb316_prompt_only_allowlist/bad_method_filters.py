"""The profile narrows the specifications; the dispatch knows nothing of profiles."""
import json

import litellm


class Agent:
    def __init__(self, functions, profile):
        self.functions = {function.__name__: function for function in functions}
        self.profile = profile

    def _specs(self):
        return [{"type": "function", "function": {"name": name}} for name in self.functions if name in self.profile]

    def _call(self, call):
        function = self.functions.get(call.function.name)  # expect: TB316
        if function is None:
            raise LookupError(call.function.name)
        return json.dumps(function(**json.loads(call.function.arguments)))

    def run(self, messages):
        for _ in range(8):
            message = litellm.completion(model="gpt-4.1", messages=messages, tools=self._specs()).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": self._call(call)})
        raise RuntimeError("out of steps")
