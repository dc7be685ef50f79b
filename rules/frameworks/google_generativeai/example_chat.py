"""Automatic function calling has no bound."""

import google.generativeai as genai

model = genai.GenerativeModel("gemini-1.5-pro", tools=[print])
automatic = model.start_chat(enable_automatic_function_calling=True)
manual = model.start_chat()


def answer(question: str) -> None:
    automatic.send_message(question)  # expect: TB107
    manual.send_message(question)
