# -*- coding: latin-1 -*-
"""A declared encoding is taken at its word."""
import litellm

GREETING = "Grüß Gott"


def greet(messages, tools):
    messages.append({"role": "user", "content": GREETING})
    return litellm.completion(model="gpt-4.1", messages=messages, tools=tools)
