#!/bin/bash
# The deterministic scheduler of the survival rig: the library keeps its promises in some thousand
# schedules of each kind, and bugs that are planted are found, each of which its seed repeats.
set -u
. tests/e2e/common
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "sanitizers do not follow a change of stacks" && exit 77; }

program=$directory/schedules
bash tests/survive/build_schedules "$program" >"$directory/err" 2>&1 || fail "it does not build"
"$program" --count 3000 >"$directory/out" 2>"$directory/err" || fail "a violation"
[ "$(grep -c '^schedules ' "$directory/out")" = 12 ] || fail "not all scenarios in all models"
"$program" --count 100 --seed 5 --scenario ring >"$directory/first"
"$program" --count 100 --seed 5 --scenario ring >"$directory/second"
cmp -s "$directory/first" "$directory/second" || fail "the same seeds, other schedules"
"$program" --model server --count 2000 >"$directory/out" 2>"$directory/err" ||
	fail "a violation of the server"
has out '^schedules server +sc +2000 schedules'
for copy in first second; do
	"$program" --model server --count 1 --seed 7 --trace >"$directory/$copy"
done
cmp -s "$directory/first" "$directory/second" || fail "the same seed, another schedule of the server"

plant() { # name, file, unit that contains it, scenario, model, what is found, sed script
	local planted=$directory/planted bug=$directory/bug from=src/shim/$2 to=shim/$2
	[ -e "$from" ] || from=include/$2 to=$2
	rm -rf "$planted" "$bug" "$bug.objects"
	mkdir -p "$planted/shim"
	sed -E "$7" "$from" >"$planted/$to"
	cmp -s "$from" "$planted/$to" && fail "$1: nothing was planted"
	cp -r "$program.objects" "$bug.objects"
	bash tests/survive/build_schedules "$bug" "$planted" "$3" >"$directory/err" 2>&1 ||
		fail "$1: it does not build"
	local wanted=(--scenario "$4" --model "$5")
	[ "$4" != server ] || wanted=(--model server)
	"$bug" --count 100000 "${wanted[@]}" >"$directory/out" 2>"$directory/err" &&
		fail "$1: not found"
	has out "^violation: $4(, $5)?, seed [0-9]+: .*$6"
	# its seed finds it again
	local again
	again=$(sed -n 's/^repeat: schedules \(.*\) --trace$/\1/p' "$directory/out")
	# shellcheck disable=SC2086
	"$bug" $again >"$directory/again"
	cmp -s "$directory/out" "$directory/again" || fail "$1: '$again' does not repeat it"
}

plant "a lost wake-up: the rings are not armed" ring.c ring ring sc \
	'did not wake it' '/^bool ring_arm/,/^}/s/atomic_store\(&ring->limit,/(void)(/'
plant "a lost wake-up: the limit is set again after the ring was armed" ring.c ring lossless sc \
	'did not wake it' '/^static bool ring_wait/,/^}/s/wake_server\(\);//'
plant "a lost wake-up: the store of the limit may arrive late" ring.c ring ring tso \
	'did not wake it' '/^static.*bool ring_full/,/^}/s/atomic_store\((&ring->limit, .*)\);/atomic_store_explicit(\1, memory_order_release);/'
plant "a lost wake-up of a waiting producer" ring.c ring lossless sc \
	'its wake-up was lost' '/^void ring_release/,/^}/s/== RING_WAITING/== 77/'
plant "a drop that is not counted" ring.c ring ring sc \
	'[0-9] fired' '/^static.*bool ring_full/,/^}/s/count_drop\(ring, event\);//'
plant "a drop that is announced before it is counted" ring.c ring ring sc \
	'[0-9] fired' '/^static void count_drop/,/^}/{
	/drops->any/d
	s/^\tatomic_fetch_add_explicit/\tatomic_store(\&drops->any, true);\n&/
}'
plant "a name that is published before its text, in program order" name.c name names sc \
	'has the name' '
	s/^\tmemcpy\(names->arena \+ at \+/\tif (before)\n\t&/
	/^uint32_t name_take\(/,/^}/s/^\t\treturn id;/\t{ TEST_POINT("late"); memcpy(names->arena + room + sizeof(length), name->text, length); return id; }/'
plant "a name that is published before its text, by its memory order" name.c name names weak \
	'has the name' 's/__ATOMIC_RELEASE, __ATOMIC_ACQUIRE/__ATOMIC_RELAXED, __ATOMIC_RELAXED/'
plant "a record that is published before it is written, by its memory order" vmtap_provider.h schedules ring weak \
	'.' '/vmtap_record_commit\(/,/^}/s/__ATOMIC_RELEASE/__ATOMIC_RELAXED/'
plant "a ring that is unmapped while its thread lives" ring.c ring ring sc \
	'was unmapped' '/^static bool is_over/,/^}/s/errno == ESRCH/errno >= 0/; /^static bool is_over/,/^}/s/\(syscall\(SYS_tgkill/(1 + syscall(SYS_tgkill/'
plant "an object that stays in the list when it is removed" registry.c registry registry sc \
	'.' '/^void vmtap_object_remove/,/^}/s/\*link = object->next;//'
plant "a guard that stays open when its object is removed" registry.c registry registry sc \
	'a guard of object 1 is open' '/^void vmtap_object_remove/,/^}/s/vmtap_word_stream_store\(object->words\[i\], 0\)/(void)i/'

plant "a record that does not fit into a queue is not counted" client.c client server sc \
	'counted as lost' '/^static void account/,/^}/s/client_lose\(.*\);/(void)0;/'
plant "a loss of a type that the client has not looked at yet" client.c client server sc \
	'counted as lost' '/^void client_lose/,/^}/s/client_take_types\(client\);/(void)0;/'
plant "records that a lossless client keeps in the rings are not counted at the end" server.c server server sc \
	'counted as lost' '/^static void finish/,/^}/s/drain_give_up\(.*\);/(void)0;/'
plant "a watermark that promises too much" drain.c drain server sc \
	'has the time' 's/^\tfloor = now - .*/\tfloor = now + 10000000;/'
plant "a lost write to the eventfd" descriptor.c descriptor server sc \
	'.' '/^bool descriptor_tell/,/^}/s/written = syscall\(.*\);/written = 8 * (long)value;/'
plant "a waiting producer is not woken when the client has read" ring.c ring server sc \
	'.' '/^void ring_wake/,/^}/s/ring_bump\(ring\);/(void)0;/'
plant "a client that takes nothing is waited for without end" lossless.c lossless server sc \
	'.' '/^void lossless_watch/,/^}/s/client_hurry\(client\);/(void)0;/'
plant "a client is removed before its queue is empty" server.c server server sc \
	'without an end marker' 's/client->end_queued \&\& !client_pending\(client\)/client->end_queued/'
plant "a client's end leaves its guards open" admission.c admission server sc \
	'when the last client has left' '/^void admission_drop_gone/,/^}/s/subscription_apply\(server\);//'
plant "a short send is taken for a whole one" client.c client server sc \
	'.' 's/queue->start \+= \(size_t\)sent;/queue->start = queue->end;/'
plant "a watermark that is due is not sent" client.c client server sc \
	'no watermark has released' 's/encode_watermark\(encoder, watermark\)/true/'
plant "a descriptor is closed twice" client.c client server sc \
	'descriptor [0-9]+ is not open' '/^void client_close/,/^}/s/^\t\tclose\(client->socket\);/\t\tclose(client->socket), close(client->socket);/'
plant "a refused client is not closed" server_socket.c server_socket server sc \
	'descriptor [0-9]+ is left|wait for ever' '/^int server_socket_accept/,/^}/s/close\(client\);//'
plant "a lock that is not released" registry.c registry server sc \
	'.' '/^void registry_unlock/,/^}/s/lock_release\(&lock\);//'
plant "an event is described before the thread that fired it is named" encode.c encode server sc \
	'earlier than the event before it' 's/^\tput_context\(encoder, thread, cpu, time\);//; s/^(\t\tput_declaration\(encoder, type, time\);)/\1\n\tput_context(encoder, thread, cpu, time);/'
exit 0
