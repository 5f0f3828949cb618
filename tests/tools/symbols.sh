#!/usr/bin/env bash
# What the object code of a library shows of its conventions: symbols.sh LIBRARY.a
#   every name with external linkage starts with nc_
#   no mutable data at file scope
#   nothing that prints or exits; no libm function whose bits differ between machines; no unstable sort, no rand
#   malloc and its kin in memory.c only
# symbols.sh LIBRARY.a --room: for rooms that only the program links, which may use all of libm, malloc and qsort.
set -u
library=$1
mode=${2:-}
part=${3:-$mode} # of what is looked for, when this script looks at itself
status=0

# First: does this script see what it looks for? A library with every one of the violations, and this script on it.
if [ "$mode" != --only ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cat >"$scratch/bad.c" <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int counter;
double helper(double x);
double helper(double x) { counter++; printf("%g\n", x); return sin(x) + (malloc(8) != NULL); }
C
    cc -O2 -c "$scratch/bad.c" -o "$scratch/bad.c.o" && ar rcs "$scratch/bad.a" "$scratch/bad.c.o"
    complaints=$(bash "$0" "$scratch/bad.a" --only "$mode" | grep -c '^symbols:')
    wanted=$([ "$mode" = --room ] && echo 3 || echo 4)
    [ "$complaints" = "$wanted" ] || { echo "FAIL: $complaints of $wanted violations were seen in a library that has them"; exit 1; }
fi
complain() { echo "symbols: $1"; echo "$2" | sed 's/^/  /'; status=1; }

# Sanitizers and gcov add symbols of their own; this test is for plain release builds.
names=$(nm -A "$library" 2>/dev/null) || exit 2
[ -n "$names" ] || { echo "symbols: $library has none"; exit 2; }
names=$(echo "$names" | sed 's/^[^:]*:\([^:]*\):/\1 /') # "file.c.o [address] kind name"

found=$(echo "$names" | awk '$(NF-1) ~ /^[TDBRVWC]$/ && $NF !~ /^nc_/ { print $1, $NF }')
[ -z "$found" ] || complain "external names without nc_" "$found"

found=$(echo "$names" | awk '$(NF-1) ~ /^[DdBbCSs]$/ && $NF !~ /^\.|\.rel\.ro/ { print $1, $NF }')
# Constant tables of pointers sit in .data.rel.ro: constant once loaded. nm calls them d; ask for the section.
if [ -n "$found" ]; then
    writable=$(objdump -t "$library" | awk '/^[^ ]+\.o:/ { file = $1 } $0 ~ / O \.(data|bss)[ \t.]/ && $0 !~ /\.data\.rel\.ro/ { print file, $NF }')
    [ -z "$writable" ] || complain "mutable data at file scope" "$writable"
fi

banned='printf|vprintf|puts|putchar|perror|stdout|stderr|exit|abort|__assert_fail|rand|srand|random|drand48'
[ "$part" = --room ] || banned="$banned|qsort|sin|cos|tan|sincos|asin|acos|atan|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sinh|cosh|tanh|fma"
found=$(echo "$names" | awk -v banned="^(__)?($banned)(f|l|_chk)?$" '$(NF-1) == "U" && $NF ~ banned { print $1, $NF }')
[ -z "$found" ] || complain "calls the library must not make" "$found"

found=''
[ "$part" = --room ] || found=$(echo "$names" | awk '$(NF-1) == "U" && $NF ~ /^(malloc|calloc|realloc|aligned_alloc|posix_memalign|strdup|strndup|getline|asprintf)$/ && $1 != "memory.c.o" { print $1, $NF }')
[ -z "$found" ] || complain "memory not taken from the allocator" "$found"

[ $status = 0 ] && echo "symbols: $(echo "$names" | awk '$(NF-1) == "T"' | wc -l) functions, all well-mannered"
exit $status
