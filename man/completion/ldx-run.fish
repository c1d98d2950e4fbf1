# SPDX-License-Identifier: Apache-2.0
# Completion for fish.
complete -c ldx-run -n 'string match -q -- "-*" (commandline -ct)' -a '(ldx --ldx-print=options 2>/dev/null)'
complete -c ldx-run -n 'not string match -q -- "-*" (commandline -ct)' -xa '(__fish_complete_subcommand)'
