#!/bin/bash
# The result of each bundled script over a VM's stream equals the VM's own counters, for one program.
# Those that have many results are in trace_scripts_methods.sh and trace_scripts_objects.sh, those for
# logs of GHC in trace_ghc.sh.
# limit: 900
. tests/e2e/script_results

for script in $listed; do
	case " $methods $objects " in *" $script "*) ;; *) trace_all "$script" ;; esac
done
