"""Tools of a framework's agent: one changes accounts, one asks first, one reads."""

from agents import Agent, Runner, function_tool
from directory import accounts


@function_tool
def suspend_account(account_id: str) -> str:
    """Suspend an account."""
    accounts.suspend_account(account_id)
    return "suspended"


@function_tool
def create_user(mail: str) -> str:
    """Create a user."""
    if input(f"create {mail}? ") != "yes":
        return "refused"
    return accounts.create_user(mail)


@function_tool
def find_user(mail: str) -> str:
    """Find a user."""
    return accounts.find_user(mail)


support = Agent(name="Support", tools=[suspend_account, create_user, find_user])


def handle(text: str) -> str:
    return Runner.run_sync(support, text, max_turns=8).final_output
