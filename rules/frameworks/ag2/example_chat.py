"""A hundred automatic replies by default."""

from autogen import AssistantAgent, UserProxyAgent

assistant = AssistantAgent("assistant", llm_config={})
user = UserProxyAgent("user", human_input_mode="NEVER")
short = UserProxyAgent("short", max_consecutive_auto_reply=4)


def answer(question: str) -> None:
    user.initiate_chat(assistant, message=question, max_turns=6)
    short.initiate_chat(assistant, message=question)
    user.initiate_chat(assistant, message=question, max_turns=4000)
