#!/bin/bash
# Calibration on nodes whose links have a rate: links between nodes are far slower than those within, by about that rate.
#
# usage: calibration.sh SCALAY BYTES_PER_SECOND      on node0 of nodes.sh, which sets $MPIRUN; 0: links without a rate
set -u
scalay=$1 rate=$2 file=$TMPDIR/calibration.txt
failures=0
$MPIRUN "$scalay" calibrate --machine "$file" --seconds 4 --quiet 2>"$TMPDIR/said" || exit 1
value() { awk -v name="$1" '$1 == name { print $2 }' "$file"; }
check() {
  awk "BEGIN { exit !($2) }" || { echo "calibration.sh: not true: $1 ($2)"; failures=$((failures + 1)); }
}
within=$(value seconds_per_byte_within) between=$(value seconds_per_byte) alone=$(value seconds_per_byte_alone)
ranks=2
if [ "$rate" = 0 ]; then
  check "long and short messages were compared" "$(value long_message_ratio) > 0.3 && $(value long_message_ratio) < 3"
  exit $((failures > 0))
fi
check "two nodes of one type" "$(value nodes) == 2 && $(value node_types) == 1"
check "between nodes far slower than within" "$between > 5 * $within"
# All ranks of a node share its link. The bounds are wide: the ranks share cores, too.
check "the link is not faster than its rate" "$between > 0.8 * $ranks / $rate && $alone > 0.8 / $rate"
check "the link is not far slower than its rate" "$between < 3 * $ranks / $rate && $alone < 3 / $rate"
check "a process alone is not slower" "$alone <= $between"
check "the rates of the pair of types are those between nodes" \
  "$(value node_types_0_0_seconds_per_byte) > 0 && $(value node_type_0_seconds_per_byte) > 0"
# Both nodes are on this host: their ranks share its cores, and the command says so.
cores=$(nproc --all)
if [ "$cores" -lt 4 ]; then
  grep -q "4 ranks share $cores core" "$TMPDIR/said" || { echo "calibration.sh: oversubscription is not said"; failures=1; }
fi
# Nodes of different types: one of them has two threads of the BLAS.
cat >"$TMPDIR/unequal" <<'UNEQUAL'
#!/bin/bash
[ "$(hostname)" = node1 ] && export OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2
exec "$@"
UNEQUAL
chmod +x "$TMPDIR/unequal"
cp "$TMPDIR/unequal" "${NODES_PIDS:?}/unequal"
$MPIRUN "$NODES_PIDS/unequal" "$scalay" calibrate --machine "$file" --seconds 2 --quiet 2>/dev/null || exit 1
if [ "$(value node_types)" = 2 ]; then
  check "one node of each type" "$(value node_type_0_nodes) == 1 && $(value node_type_1_nodes) == 1"
  check "there is a link between the types" "$(value node_types_0_1_seconds_per_byte) > 0.8 * $ranks / $rate"
  check "there is none within a type" "$(value node_types_0_0_seconds_per_byte) == 0"
else
  echo "calibration.sh: the BLAS does not tell its threads; types of nodes are not checked"
fi
exit $((failures > 0))
