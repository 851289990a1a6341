#!/bin/bash
# Nodes on one machine, to run MPI programs on several nodes where there is only one. A node is a set of Linux
# namespaces: its own network, mounts, host name, IPC and /dev/shm. All nodes are in a user and a PID namespace of their
# own, so no privilege is needed, and nothing outlives the command. The only addresses are 10.77.0.x, on a bridge that is
# connected to nothing else.
#
# usage: nodes.sh [-r RATE] [-k] RANKS PROGRAM [ARGUMENT...]
#        nodes.sh [-r RATE] [-k] RANKS -c 'SHELL COMMAND'
#
#   RANKS  ranks of each node: 2+2 is two nodes with two ranks each
#   -r     what a node can send, such as 200mbit or 10gbit (whole numbers); default: no limit
#   -k     shared memory may be left behind (after ranks were killed); it is listed, not counted as a failure
#   -c     a command of bash, which runs on node0. $MPIRUN starts the ranks; `on NODE COMMAND` runs something on a node;
#          file $NODES_PIDS/pid.NODE has the number of a process that holds the namespaces of a node
#
# The environment variable MPIEXEC names the program that starts ranks (default mpiexec); Open MPI's and MPICH's are known.
# Exit status: that of the command; 1 if it left shared memory; 77 if namespaces are not permitted here.
set -u

skip() { echo "nodes.sh: skipped: $*" >&2; exit 77; }

# ---------------------------------------------------------------------------------------- outside: one namespace for all
if [ -z "${NODES_FOLDER-}" ]; then
  for tool in unshare nsenter ip tc; do
    command -v $tool >/dev/null || PATH=$PATH:/usr/sbin:/sbin
    command -v $tool >/dev/null || skip "there is no program $tool"
  done
  enter="unshare --user --map-root-user --mount --net --ipc --uts --pid --fork --kill-child --mount-proc"
  probe='ip link add nodes type bridge && mount -t tmpfs tmpfs /dev/shm && unshare --mount --net --ipc --uts true'
  refusal=$($enter bash -c "$probe" 2>&1) || skip "namespaces are not permitted here (${refusal:-no reason})"
  NODES_FOLDER=$(mktemp -d) || exit 1
  export NODES_FOLDER PATH
  trap 'rm -rf "$NODES_FOLDER"' EXIT
  trap 'exit 130' INT TERM
  $enter bash "$0" "$@"
  exit $?
fi

# ------------------------------------------------------------------------------------------------------- inside: nodes
folder=$NODES_FOLDER rate="" keeps=0 command=""
while getopts r:k option; do
  case $option in
    r) rate=$OPTARG ;;
    k) keeps=1 ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

# A token bucket lets a burst through at once after a pause. It is 32 KiB per Gbit/s, what the rate carries in 0.26 ms:
# timers of busy cores need that to keep the rate. Packets are of half a burst at most. The bucket would cut longer ones
# into frames, which keep the processors busy so that both directions together get little more than the rate of one.
case $rate in
  "") ;;
  *gbit) burst=$((${rate%gbit} * 32768)) ;;
  *mbit) burst=$((${rate%mbit} * 32768 / 1000)) ;;
  *) echo "nodes.sh: -r $rate: must be a number of mbit or gbit" >&2; exit 2 ;;
esac
if [ -n "$rate" ]; then
  burst=$((burst < 4096 ? 4096 : burst > 262144 ? 262144 : burst))
  packet=$((burst / 2 > 65536 ? 65536 : burst / 2))
fi
IFS=+ read -r -a ranks <<<"$1"
shift
[ "${1-}" = -c ] && command=$2
nodes=${#ranks[@]} total=0

# Starts what holds the namespaces of node $1, and connects it with the bridge.
start_node() {
  local node=$1 pid
  mkdir "$folder/tmp$node"
  unshare --mount --net --ipc --uts bash -c "hostname node$node && mount -t tmpfs tmpfs /dev/shm &&
    mount --bind $folder/hosts /etc/hosts && touch $folder/ready$node && exec sleep infinity" &
  pid=$!
  echo $pid >"$folder/pid.node$node"
  for ((k = 0; k < 500; k++)); do [ -e "$folder/ready$node" ] && break; sleep 0.01; done
  [ -e "$folder/ready$node" ] || skip "node$node did not start"
  ip link add "veth$node" type veth peer name eth0 netns $pid && ip link set "veth$node" master nodes up || exit 1
  nsenter -t $pid -n ip link set lo up
  nsenter -t $pid -n ip addr add "10.77.0.$((node + 1))/24" dev eth0
  [ -z "$rate" ] || nsenter -t $pid -n ip link set eth0 gso_max_size "$packet"
  nsenter -t $pid -n ip link set eth0 up
  # Some algorithms (bbr) pace by what the link carried before, and are too slow after pauses.
  "$folder/on" "node$node" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control' 2>/dev/null
  [ -z "$rate" ] || nsenter -t $pid -n tc qdisc add dev eth0 root tbf rate "$rate" burst "$burst" latency 50ms ||
    skip "no token bucket in this kernel"
}

# What is left in the shared memory of the nodes. The MPI library may need a moment to remove its own.
list_shared_memory() {
  for ((node = 0; node < nodes; node++)); do
    "$folder/on" node$node sh -c "cd /dev/shm && ls -A | sed 's/^/node$node: \/dev\/shm\//'"
  done
}

ip link add nodes type bridge && ip link set nodes up || skip "no bridge in this kernel"
cat /etc/hosts >"$folder/hosts"
hosts=""
for ((node = 0; node < nodes; node++)); do
  echo "10.77.0.$((node + 1)) node$node" >>"$folder/hosts"
  hosts+=",node$node:${ranks[node]}"
  total=$((total + ranks[node]))
done

# `on NODE COMMAND...`; and what starts daemons of MPI on a node, in the place of ssh (MPICH passes options).
cat >"$folder/on" <<ON
#!/bin/bash
node=\$1; shift
exec nsenter -t "\$(cat "$folder/pid.\$node")" -m -u -i -n -- env TMPDIR="$folder/tmp\${node#node}" "\$@"
ON
cat >"$folder/agent" <<AGENT
#!/bin/bash
while [ "\${1#-}" != "\$1" ]; do shift; done
node=\$1; shift
exec "$folder/on" "\$node" bash -c "\$*"
AGENT
chmod +x "$folder/on" "$folder/agent"
for ((node = 0; node < nodes; node++)); do start_node $node; done

mpiexec=${MPIEXEC:-mpiexec}
export OMPI_MCA_plm_rsh_agent="$folder/agent" OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0 \
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 \
  OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PATH="$folder:$PATH"
if $mpiexec --version 2>/dev/null | grep -q HYDRA; then
  MPIRUN="$mpiexec -launcher ssh -launcher-exec $folder/agent -iface eth0 -hosts ${hosts#,} -n $total"
else
  MPIRUN="$mpiexec -H ${hosts#,} -n $total"
fi
export MPIRUN NODES_PIDS=$folder
unset NODES_FOLDER
if [ -n "$command" ]; then
  "$folder/on" node0 bash -c "$command"
else
  # shellcheck disable=SC2086 # the words of MPIRUN are arguments
  "$folder/on" node0 $MPIRUN "$@"
fi
status=$?
for ((k = 0; k < 20; k++)); do
  left=$(list_shared_memory)
  [ -z "$left" ] && break
  sleep 0.1
done
[ -z "$left" ] && exit $status
echo "nodes.sh: left behind:" >&2
echo "$left" >&2
[ $keeps = 1 ] || [ $status != 0 ] || status=1
exit $status
