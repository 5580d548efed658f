#!/bin/bash
# The results of the bundled scripts for objects, locks and guest threads over a VM's stream equal the
# VM's own counters, for each program.
# limit: 900
. tests/e2e/script_results

# shellcheck disable=SC2086
trace_all $objects
