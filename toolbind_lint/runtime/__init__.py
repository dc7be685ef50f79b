"""The reference dispatcher: a loop in which a model calls tools, and every gate that bounds it.

``core`` holds the gates and what can be killed, ``loop`` asks, dispatches and answers over them; ``adapters`` translate
for providers, ``sinks`` keep the evidence, ``evidence`` verifies it, ``vendor`` copies the dispatcher into a project.
Nothing here imports the linter.
"""

from __future__ import annotations

from toolbind_lint.runtime.core import (
    Allowlist,
    Answer,
    Budget,
    Call,
    Dispatcher,
    GateError,
    Run,
    Tool,
    ToolError,
)
from toolbind_lint.runtime.loop import Model, Outcome, Turn, run_loop, run_loop_async

__all__ = [
    "Allowlist",
    "Answer",
    "Budget",
    "Call",
    "Dispatcher",
    "GateError",
    "Model",
    "Outcome",
    "Run",
    "Tool",
    "ToolError",
    "Turn",
    "run_loop",
    "run_loop_async",
]
