"""max_turns is infinite by default."""

from swarm import Agent, Swarm

client = Swarm()
sales = Agent(name="sales")


def transfer_to_sales() -> Agent:
    return sales


desk = Agent(name="desk", functions=[transfer_to_sales])


def answer(question: str) -> None:
    client.run(agent=desk, messages=[{"role": "user", "content": question}])  # expect: TB107
    client.run(agent=desk, messages=[{"role": "user", "content": question}], max_turns=6)
    client.run(agent=sales, messages=[{"role": "user", "content": question}])
