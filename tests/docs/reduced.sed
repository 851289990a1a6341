# Commands of the pages with smaller problems, and with values for placeholders.
s/--from LAYOUT/--from cyclic:m=60,n=40,mb=8,nb=8,p=2,q=2/
s/--to LAYOUT/--to cyclic:m=60,n=40,mb=16,nb=16,p=2,q=2/
s/scalay show LAYOUT/scalay show cyclic:m=60,n=40,mb=8,nb=8,p=2,q=2/
s/(redistribute matrix.npy) --from [^ ]* --to [^ ]*/\1 --from cyclic:mb=8,nb=8,p=2,q=2 --to cyclic:mb=64,nb=64,p=2,q=2/
s/dgemm:n=[0-9]+ --sizes [0-9:]+( --max-seconds [0-9.]+)?/dgemm:n=64 --sizes 16:48:16 --max-seconds 0.02/
s/--size 1024/--size 48/
s/scalay calibrate/& --seconds 0.1/
s/--repeat [0-9]+/--repeat 1/
s/^scalay\(\) .*taskset.*/scalay() { mpirun -n 3 scalay "$@"; }/
s#examples/data/egm96_geoid.npy#matrix.npy#
s/scalay profile .*--output [^ ]+/& --restart/
