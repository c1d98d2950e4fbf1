# SPDX-License-Identifier: Apache-2.0
# Completion for fish.
complete -c ldxprof -n 'test (count (commandline -opc)) -eq 1' -f
complete -c ldxprof -a '(set -l w (commandline -opc); $w[1] complete $w[2..] (commandline -ct) 2>/dev/null)'
