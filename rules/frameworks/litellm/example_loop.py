"""Twenty rounds by default."""

import litellm


def answer(question: str) -> None:
    litellm.run_tool_loop(model="gpt-5", messages=[question], tools=[], execute_tool=print)
    litellm.run_tool_loop(model="gpt-5", messages=[question], tools=[], execute_tool=print, max_rounds=999)  # expect: TB109
