"""Four attempts; the last failure is let out."""
import time

from openai import APIError, OpenAI


def ask(client: OpenAI, messages, tools):
    for attempt in range(4):
        try:
            return client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        except APIError:
            if attempt == 3:
                raise
            time.sleep(2**attempt)
