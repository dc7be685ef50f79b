from upsonic import Agent, Task

agent = Agent("openai/gpt-4o", tools=[print])
short = Agent("openai/gpt-4o", tools=[print], tool_call_limit=5)
endless = Agent("openai/gpt-4o", tools=[print], tool_call_limit=0)


def answer(question: str) -> None:
    agent.do(question)
    short.print_do(Task(question, tools=[print]))
    endless.do(question)  # expect: TB107
    Agent("openai/gpt-4o", tool_call_limit=None).do(Task(question, tools=[print]))  # expect: TB107
