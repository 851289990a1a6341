#!/bin/sh
# excerpts.sh PAGE.md FOLDER: each line of the page's blocks in f90 is a line of a program in the folder.
page=$1
folder=$2
cat "$folder"/*.f "$folder"/*.f90 >all.tmp
awk '/^```/ { open = !open && $0 == "```f90"; next } open && NF' "$page" >excerpts.tmp
[ -s excerpts.tmp ] || { echo "$page has no block in f90"; exit 1; }
failed=0
while IFS= read -r line; do
    grep -Fxq -- "$line" all.tmp || { echo "$page: no program has the line: $line"; failed=1; }
done <excerpts.tmp
rm -f all.tmp excerpts.tmp
exit $failed
