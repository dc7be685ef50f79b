"""A chat whose model has no tools: each pass waits for a person."""
from anthropic import Anthropic

client = Anthropic()


def chat():
    messages = []
    while True:
        messages.append({"role": "user", "content": input("you: ")})
        reply = client.messages.create(model="claude-haiku-4-5", max_tokens=500, messages=messages)
        text = reply.content[0].text
        messages.append({"role": "assistant", "content": text})
        print("bot:", text)
