"""No `shell=True`, and a shell all the same."""
import subprocess


def run_tool(tool_name: str, arguments: dict) -> str:
    if tool_name == "shell":
        done = subprocess.run(["bash", "-c", arguments["command"]], stdout=-1, timeout=60)  # expect: TB305
        return done.stdout.decode()
    raise LookupError(tool_name)
