#!/bin/bash
# Kills (-9) a rank, or all processes of a node, of a program that moves, multiplies and factors without end. The job
# ends, no rank is left, and no shared memory is left that is not left after the same kill of plain MPI calls.
#
# usage, as the command of nodes.sh -k RANKS -c: killed.sh PROGRAM TIMES SEED {rank|node}
set -u
program=$1 times=$2 seed=$3 what=$4
RANDOM=$seed
failures=0
echo "seed $seed"

fail() { echo "killed.sh: $*" >&2; failures=$((failures + 1)); }

# All processes in the network namespace of process $1.
processes_of_node() {
  local space process
  space=$(readlink "/proc/$1/ns/net")
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/net" 2>/dev/null)" = "$space" ] && echo "${process#/proc/}"
  done
}

# What is in the shared memory of all nodes, with the numbers of processes and jobs left out of the names.
list_shared_memory() {
  local node
  for node in "$NODES_PIDS"/pid.node*; do
    find "/proc/$(cat "$node")/root/dev/shm" -mindepth 1 -printf '%f\n' | sed 's/[0-9a-f]*[0-9][0-9a-f]*/N/g'
  done | sort -u
}

clear_shared_memory() {
  local node
  for node in "$NODES_PIDS"/pid.node*; do rm -rf "/proc/$(cat "$node")/root/dev/shm"/*; done
}

# Returns 0 if all ranks have written their process numbers into folder $1.
all_run() { [ "$(find "$1" -name 'pid.*[0-9]' | wc -l)" = "${MPIRUN##* }" ]; }

# One run: starts the program ($1: PLAIN or nothing), kills rank $2, or its node, after $3 seconds.
run() {
  local folder job pid holder rank status ranks=${MPIRUN##* }
  folder=$(mktemp -d)
  # shellcheck disable=SC2086 # the words of MPIRUN are arguments
  timeout -k 5 60 $MPIRUN "$program" "$folder" $1 >"$folder/log" 2>&1 &
  job=$!
  for ((k = 0; k < 3000; k++)); do all_run "$folder" && break; sleep 0.01; done
  all_run "$folder" || { fail "did not start:"; cat "$folder/log" >&2; }
  sleep "$3"
  pid=$(cat "$folder/pid.$2")
  if [ "$what" = node ]; then
    holder=$(cat "$NODES_PIDS/pid.$(nsenter -t "$pid" -u hostname)")
    processes_of_node "$pid" | grep -v "^$holder$" | xargs kill -9
  else
    kill -9 "$pid"
  fi
  SECONDS=0
  wait $job
  status=$?
  [ $SECONDS -lt 55 ] || fail "the job did not end within 55 s after rank $2 was killed"
  [ $status != 0 ] || fail "the status of the job is 0"
  for ((rank = 0; rank < ranks; rank++)); do
    for ((k = 0; k < 200; k++)); do kill -0 "$(cat "$folder/pid.$rank")" 2>/dev/null || break; sleep 0.05; done
    kill -0 "$(cat "$folder/pid.$rank")" 2>/dev/null && fail "rank $rank is left"
  done
  left=$(list_shared_memory)
  clear_shared_memory
  rm -rf "$folder"
}

for ((turn = 0; turn < times; turn++)); do
  ranks=${MPIRUN##* }
  # A node that is killed is not that of mpiexec, which nobody would be left to report.
  [ "$what" = node ] && rank=$((ranks - 1)) || rank=$((RANDOM % ranks))
  run PLAIN "$rank" 0.1
  plain=$left
  delay=0.$((RANDOM % 4))$((RANDOM % 10))
  run "" "$rank" $delay
  echo "$what of rank $rank killed after $delay s: ended after $SECONDS s; left: ${left:-nothing}; by plain MPI: ${plain:-nothing}"
  # The files vader_segment.* are those of Open MPI for messages. If a node is lost, mpiexec may end before it removes them.
  more=$(comm -23 <(echo "$left" | grep -v '^vader_segment') <(echo "$plain"))
  [ -z "$more" ] || fail "left behind, but not by plain MPI: $more"
done
exit $((failures > 0))
