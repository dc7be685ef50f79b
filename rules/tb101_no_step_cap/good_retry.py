"""The same request again after a failure; its reply ends the loop."""
import time

from openai import OpenAI, RateLimitError


def ask(client: OpenAI, messages, tools):
    attempt = 0
    while True:
        try:
            return client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        except RateLimitError:
            attempt += 1
            if attempt == 5:
                raise
            time.sleep(2**attempt)
