"""A decorated tool charges a card."""
import stripe
from agents import Agent, Runner, function_tool


@function_tool
def charge_card(customer: str, amount_cents: int) -> str:  # expect: TB801
    """Charge the card on file."""
    charge = stripe.Charge.create(customer=customer, amount=amount_cents, currency="eur")
    return charge.id


agent = Agent(name="Till", tools=[charge_card])
result = Runner.run_sync(agent, "charge the order", max_turns=5)
