#!/bin/bash
# The link of node1 goes down for five seconds while a program moves, multiplies and factors: the results arrive later,
# and are the same.
#
# usage, as the command of nodes.sh RANKS -c: link.sh PROGRAM
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Process 1 is that of nodes.sh, which has the other ends of the links.
set_link() { nsenter -t 1 -n ip link set veth1 "$1" || exit 1; }

# shellcheck disable=SC2086 # the words of MPIRUN are arguments
timeout -k 5 120 $MPIRUN "$1" "$folder/runs" 10 4 &
job=$!
for ((k = 0; k < 6000; k++)); do [ -e "$folder/runs" ] && break; sleep 0.01; done
[ -e "$folder/runs" ] || { echo "link.sh: did not start" >&2; exit 1; }
set_link down
sleep 5
set_link up
wait $job
