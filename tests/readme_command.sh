#!/bin/sh
# Print the command that stands in README.md under the line <!-- command: NAME -->.
# .ci/run and tests/fresh_machine.sh run what is printed, so that the README cannot say something else.
set -eu
command=$(awk -v mark="<!-- command: $1 -->" '
    $0 == mark                      { found = 1 }
    found && inside && /^```$/      { exit }
    found && inside                 { print }
    found && /^```sh$/              { inside = 1 }
' "$(dirname "$0")/../README.md")
test -n "$command" || { echo "README.md has no command '$1'" >&2; exit 1; }
printf '%s\n' "$command"
