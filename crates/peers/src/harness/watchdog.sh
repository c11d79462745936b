#!/bin/sh
# Ends everything that a harness started, once that harness is gone, however it went.
#
# In: a pipe on stdin that the harness holds open; $1 is the mark, $2 the folder of temporary files.
# Out: no process is left whose environment holds BROWSERLENS_PEER=<mark>, daemons that left the process group
# included, and no folder. It does not carry the mark itself. Where there is no /proc (macOS) the environment is read
# through ps.
mark="BROWSERLENS_PEER=$1"
marked() {
    if [ -r /proc/self/environ ]; then
        grep -alzFx -- "$mark" /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' |
            sed -n 's|^/proc/\([0-9]*\)/environ$|\1|p'
    else
        ps -Eww -axo pid=,command= 2>/dev/null | grep -F -- "$mark" | grep -v grep | awk '{ print $1 }'
    fi
}
while read -r _; do :; done
# A process that was being started when the pipe closed may appear a little later.
for _ in 1 2 3; do
    found=$(marked)
    # shellcheck disable=SC2086
    [ -n "$found" ] && kill -KILL $found 2>/dev/null
    [ -n "$2" ] && rm -rf -- "$2" 2>/dev/null
    sleep 0.1
done
exit 0
