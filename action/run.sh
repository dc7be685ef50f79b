#!/usr/bin/env bash
# Runs the linter as the action's inputs and the event say. All of them come by environment variables; none is code.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$(cat "${RUNNER_TEMP:?the runner sets it}/toolbind-lint/bin-folder")
exec "$bin/python" -I "$here/run.py"
