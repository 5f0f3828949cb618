#!/usr/bin/env bash
# Succeeds when the thread sanitizer reports the race of race.c.
if out=$("$1" 2>&1); then
    echo "FAIL: no race was reported"
    exit 1
fi
echo "$out" | grep -m1 'data race'
