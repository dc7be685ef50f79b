"""A process is killed at its limit; the comparison behind it only grades a slow one."""
import subprocess
import time

SCRIPTS = {"lint": ["ruff", "check"], "types": ["mypy", "."]}


def run_tool(name: str, arguments: dict) -> dict:
    argv = SCRIPTS[name]
    started = time.monotonic()
    done = subprocess.run([*argv, *arguments.get("paths", [])], capture_output=True, text=True, timeout=60)
    slow = time.monotonic() - started > 20
    return {"output": done.stdout, "slow": slow}
