from google import genai
from google.genai import types

client = genai.Client()


def add(a: int, b: int) -> int:
    return a + b


def ask(question: str, calls: int) -> str | None:
    config = types.GenerateContentConfig(
        tools=[add], automatic_function_calling=types.AutomaticFunctionCallingConfig(maximum_remote_calls=calls)
    )
    return client.models.generate_content(model="gemini-2.5-flash", contents=question, config=config).text


def bounded(question: str) -> str | None:
    config = types.GenerateContentConfig(
        tools=[add], automatic_function_calling=types.AutomaticFunctionCallingConfig(maximum_remote_calls=6)
    )
    return client.models.generate_content(model="gemini-2.5-flash", contents=question, config=config).text


def patient(question: str) -> str | None:
    chat = client.chats.create(model="gemini-2.5-flash")
    return chat.send_message(  # expect: TB109
        question,
        config={"tools": [add], "automatic_function_calling": {"maximum_remote_calls": 1_000}},
    ).text
