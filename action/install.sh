#!/usr/bin/env bash
# Makes an environment of its own beside the job's, with the dependencies of this version by hash. The linter itself runs
# from this checkout; nothing is built, and nothing of the linted repository is on a path from which code is loaded.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${RUNNER_TEMP:?the runner sets it}/toolbind-lint
python=${TOOLBIND_PYTHON:-python3}

# The working directory is the linted repository: -I keeps it and all PYTHON* variables out.
if ! "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  echo "::error title=toolbind-lint::It needs Python 3.10 or newer; put actions/setup-python before it." >&2
  exit 2
fi
"$python" -I -m venv "$venv"
bin=$venv/bin
[ -d "$bin" ] || bin=$venv/Scripts
"$bin/python" -I -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes \
  --only-binary :all: --requirement "$here/requirements.txt"
echo "$bin" > "$venv/bin-folder"
