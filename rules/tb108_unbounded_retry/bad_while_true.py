"""Each failure waits a little and tries again, for ever."""
import time

from openai import APIError, OpenAI


def ask(client: OpenAI, messages, tools):
    while True:  # expect: TB108
        try:
            return client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        except APIError:
            time.sleep(5)
            continue
