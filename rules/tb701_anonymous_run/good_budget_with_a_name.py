"""The dispatcher is given a budget that knows its run."""
from dataclasses import dataclass


class GateError(Exception):
    pass


@dataclass
class Budget:
    run_id: str
    limit: int
    used: int = 0

    def spend(self):
        if self.used >= self.limit:
            raise GateError(f"{self.run_id}: {self.limit} steps")
        self.used += 1


def dispatch(budget: Budget, tools, tool_name, arguments):
    budget.spend()
    tool = tools.get(tool_name)
    if tool is None:
        raise GateError(tool_name)
    return tool(**arguments)
