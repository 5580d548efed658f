#!/bin/bash
# vmtap export --perfetto: protoc decodes the trace with the schema's published field numbers, to
# the text that is expected; no field is unknown to it.
set -u
. tests/e2e/common
command -v protoc >/dev/null || { echo "protoc is missing" && exit 77; }
"$BUILD/tests/tools/make_log" probes/vm.d tests/timeline/all.events "$directory/log" || fail "make_log"
run 0 export --perfetto "$directory/log" -o "$directory/trace"
protoc --decode=Trace -Itests/witness perfetto.proto <"$directory/trace" >"$directory/text" || fail "protoc"
diff tests/timeline/all.perfetto "$directory/text" || fail "the trace"
grep -E '^ *[0-9]+[: ]' "$directory/text" && fail "a field that the schema does not have"
exit 0
