#!/bin/bash
# Debian's postgres: queries with their texts, transactions, sorts with six arguments, and a
# checkpoint, whose operands are relative to symbols, against what the server says of them itself.
set -u
. tests/witness/real
binaries=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
need_program "${binaries:-/usr/lib/postgresql}/postgres"
need_kernel
"$VMTAP" list "$binaries/postgres" | grep -q checkpoint-done || { echo "postgres has no probes" && exit 77; }
[ "$(id -u)" = 0 ] || { echo "not root: the server cannot be run as another user" && exit 77; }

as_server() {
	setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$directory/server" LC_ALL=C TZ=UTC "$@"
}
mkdir "$directory/server" && chown postgres "$directory/server" && chmod o+x "$directory" "$(dirname "$directory")"
as_server "$binaries/initdb" -D "$directory/server/data" -A trust -N >"$directory/out" 2>"$directory/err" || fail "initdb"
cat >>"$directory/server/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$directory/server'
log_checkpoints = on
log_statement = all
log_min_messages = log
shared_buffers = 8MB
fsync = off
autovacuum = off
max_parallel_workers_per_gather = 0
logging_collector = off
END
as_server "$binaries/postgres" -D "$directory/server/data" >"$directory/log" 2>&1 &
pids+=("$!")
query() {
	as_server psql -h "$directory/server" -AtX postgres "$@"
}
command -v psql >/dev/null || fail "there is no psql"
await "the server does not begin" query -c 'SELECT 1'
server=$(head -n 1 "$directory/server/data/postmaster.pid")
pids+=("$server")

# A session that reads its statements one by one.
mkfifo "$directory/statements"
query <"$directory/statements" >"$directory/session" 2>&1 &
pids+=("$!")
exec 5>"$directory/statements"
say() { echo "$1" >&5; }
say 'SELECT pg_backend_pid();'
await "the session does not begin" grep -qE '^[0-9]+$' "$directory/session"
backend=$(head -n 1 "$directory/session")
checkpointer=$(pgrep -P "$server" -f checkpointer)
[ -n "$checkpointer" ] || fail "there is no checkpointer"

cat >"$directory/session.d" <<'END'
BEGIN { told = 0; started = 0; committed = 0; aborted = 0; }
tick-1ms /!told/ { told = 1; printf("attached\n"); }
postgresql*:::query-start { printf("query %s\n", copyinstr(arg0)); }
postgresql*:::transaction-start { started++; }
postgresql*:::transaction-commit { committed++; }
postgresql*:::transaction-abort { aborted++; }
postgresql*:::sort-start { printf("sort %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5); }
postgresql*:::sort-done { printf("sorted %d %d\n", arg0, arg1); }
END { printf("transactions %d %d %d\n", started, committed, aborted); }
END
sed -i "s/postgresql\*/postgresql$backend/" "$directory/session.d"
"$VMTAP" trace -q -p "$backend" -x strsize=1024 -s "$directory/session.d" -o "$directory/traced" 2>"$directory/err" &
tracer=$!
await "vmtap does not attach to the session" grep -q attached "$directory/traced"
say "SET work_mem = '3MB';"
say 'CREATE TEMPORARY TABLE numbers AS SELECT (i * 7919) % 100003 AS a, i AS b FROM generate_series(1, 50000) AS i;'
say 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) SELECT * FROM numbers WHERE b <= 1000 ORDER BY a, b;'
say 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) SELECT a, b FROM numbers ORDER BY a;'
say "BEGIN; SELECT 'a text of its own, with ''quotes'' and Umlaute: äöü'; ROLLBACK;"
say 'SELECT nothing;'
say '\q'
exec 5>&-
wait "$tracer" || fail "the trace of the session"
# The texts, as the server has logged them.
sed -n "s/.*\[$backend\] LOG:  statement: /query /p" "$directory/log" | sed '/pg_backend_pid/d' >"$directory/expected"
grep '^query ' "$directory/traced" >"$directory/got"
same "$directory/expected" "$directory/got" "queries"

# Arguments of a sort: kind (tuples), unique, keys, work_mem in kB, random access, parallel; then
# whether it used the disk, and kB of memory or blocks of 8 kB.
memory=$(sed -n 's/.*Sort Method: quicksort  Memory: \([0-9]*\)kB.*/\1/p' "$directory/session")
disk=$(sed -n 's/.*Sort Method: external merge  Disk: \([0-9]*\)kB.*/\1/p' "$directory/session")
cat >"$directory/expected" <<END
sort 0 0 2 3072 0 0
sorted 0 $memory
sort 0 0 1 3072 0 0
sorted 1 $((disk / 8))
END
grep '^sort' "$directory/traced" >"$directory/got"
same "$directory/expected" "$directory/got" "sorts"

# Five statements and one transaction block; the removal of the temporary table at the session's
# end is a transaction, too. The block and the erroneous statement are aborted.
grep -qx 'transactions 7 5 2' "$directory/traced" || fail "transactions: $(grep transactions "$directory/traced")"

# A checkpoint; the arguments of checkpoint-done are in global variables.
rm "$directory/traced"
"$VMTAP" trace -q -p "$checkpointer" -o "$directory/traced" 2>"$directory/err" -n 'BEGIN { told = 0; }
	tick-1ms /!told/ { told = 1; printf("attached\n"); }
	postgresql$target:::checkpoint-done { printf("checkpoint %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4); exit(0); }' &
tracer=$!
await "vmtap does not attach to the checkpointer" grep -q attached "$directory/traced"
query -c 'CREATE TABLE kept AS SELECT i FROM generate_series(1, 20000) AS i' -c 'CHECKPOINT' >"$directory/out" 2>"$directory/err"
wait "$tracer" || fail "the trace of the checkpoint"
sed -n 's/.*checkpoint complete: wrote \([0-9]*\) buffers ([0-9.]*%); \([0-9]*\) WAL file(s) added, \([0-9]*\) removed, \([0-9]*\) recycled.*/checkpoint \1 1024 \2 \3 \4/p' \
	"$directory/log" | tail -n 1 >"$directory/expected"
grep '^checkpoint' "$directory/traced" >"$directory/got"
same "$directory/expected" "$directory/got" "a checkpoint"
grep -qE '^checkpoint [1-9][0-9]+ 1024 ' "$directory/got" || fail "a checkpoint that wrote nothing"
as_server "$binaries/pg_ctl" -D "$directory/server/data" stop -m immediate >/dev/null 2>&1
exit 0
