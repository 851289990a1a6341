#!/bin/bash
# Large messages over a slow link. The rates decide whether messages are sent in pieces, or are few and long, and measured
# ones depend on what else runs. So the file is one of this machine with the rates of a link of 200 Mbit/s. Without a
# file, plans find out themselves that the link is slow.
#
# usage: pieces.sh SCALAY NODES_PANELS NODES_PLAN RANKS      on node0 of nodes.sh RANKS, which sets $MPIRUN
set -eu
export SCALAY_MACHINE=$TMPDIR/slow.txt SCALAY_CALIBRATE=off
$MPIRUN "$1" calibrate --machine "$SCALAY_MACHINE" --seconds 2 --quiet
set_rate() {
  grep -q "^$1 " "$SCALAY_MACHINE"
  sed -i "s/^$1 .*/$1 $2/" "$SCALAY_MACHINE"
}
set_rate seconds_per_message 3e-5
set_rate seconds_per_byte 8e-8
set_rate seconds_per_byte_copied 2.5e-10
# MPICH passes the environment to all ranks, Open MPI what it is told.
case $MPIRUN in
  *-launcher*) ;;
  *) MPIRUN+=" -x SCALAY_MACHINE -x SCALAY_CALIBRATE" ;;
esac
$MPIRUN "$2" pieces
$MPIRUN "$3" "$4" 1500 slow
# A link that is not slow, by the file, and where long messages are faster.
set_rate seconds_per_byte 1e-9
set_rate long_message_ratio .9
$MPIRUN "$3" "$4" 1500 long
SCALAY_MACHINE=$TMPDIR/none.txt
$MPIRUN "$3" "$4" 1500 slow
