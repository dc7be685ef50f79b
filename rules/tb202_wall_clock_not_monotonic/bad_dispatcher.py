"""A dispatcher refuses what comes too late, by the time of day."""
import time


class Budget:
    def __init__(self, seconds: float = 60) -> None:
        self.expires = time.time() + seconds

    def check(self) -> None:
        if time.time() >= self.expires:  # expect: TB202
            raise TimeoutError("wall clock")


def run_tool(budget: Budget, table: dict, tool_name: str, arguments: dict) -> object:
    budget.check()
    return table[tool_name](**arguments)
