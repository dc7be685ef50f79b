"""A question answerer that reads its actions out of text. The pattern parses a line; a table admits the name."""

import re

import litellm

ACTION = re.compile(r"^Action: (\w+)\[(.*)\]$", re.MULTILINE)
PROMPT = """Answer the question. You may use these tools, one a reply:
Action: wiki[title]
Action: calculate[expression]
Write Final: and the answer when you know it."""


def wiki(title):
    return f"(the article on {title})"


def calculate(expression):
    left, operator, right = expression.partition("*")
    return str(float(left) * float(right)) if operator else expression


class Answerer:
    max_steps = 7
    actions = {"wiki": wiki, "calculate": calculate}

    def __init__(self, model="gpt-4o"):
        self.model = model

    def think(self, transcript):
        reply = litellm.completion(model=self.model, messages=transcript, stop=["Observation:"])
        return reply.choices[0].message.content

    def answer(self, question):
        transcript = [{"role": "system", "content": PROMPT}, {"role": "user", "content": question}]
        step = 0
        while step < self.max_steps:
            step += 1
            text = self.think(transcript)
            transcript.append({"role": "assistant", "content": text})
            if "Final:" in text:
                return text.split("Final:", 1)[1].strip()
            found = ACTION.search(text)
            if found is None:
                transcript.append({"role": "user", "content": "Write one action or the final answer."})
                continue
            action = self.actions.get(found[1])
            if action is None:
                raise LookupError(found[1])
            transcript.append({"role": "user", "content": f"Observation: {action(found[2])[:2000]}"})
        raise TimeoutError(f"no answer in {self.max_steps} steps")
