"""Text in a string is no comment, whatever it looks like."""
import litellm

HINT = """
while True:  # toolbind: ignore[TB101] write it like this
"""


def explain(messages):
    messages.append({"role": "user", "content": HINT})
    return litellm.completion(model="gpt-4.1", messages=messages)
