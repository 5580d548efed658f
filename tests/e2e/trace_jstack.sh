#!/bin/bash
# jstack(): the stack that the VM's walker gives is the one that the interpreter itself prints, over
# the stream and over a log; without a walker's stacks it is kept from method-entry and
# method-return; and the kernel source, which has none, says so.
# tests: src/shim/extra/walker.c src/engine/store/guest_stacks.c
. tests/e2e/common
cat >"$directory/deep.toy" <<'TOY'
class Tree
  def init(depth)
    if depth > 0
      @left = Tree.new(depth - 1)
      @right = Tree.new(depth - 1)
    else
      VM.mark(VM.backtrace())
    end
  end
end
def outer(n)
  Tree.new(n)
end
def recurse(n, shown)
  if n > 0
    return recurse(n - 1, shown)
  end
  if shown
    VM.mark(VM.backtrace())
  else
    VM.mark("deep")
  end
end
outer(4)
t = Thread.new(fn(n)
  outer(n)
end, 2)
t.join
recurse(20, true)
recurse(200, false)
TOY
"$TOY" "$directory/deep.toy" || fail "the program fails"
cat >"$directory/both.d" <<'D'
#pragma D option quiet
#pragma D option stackindent=0
user-marker
/copyinstr(arg1) != "deep"/
{
	n++;
	printf("<%s>", copyinstr(arg1));
	jstack(128);
	printf("end\n");
	@[jstack(128)] = count();
	@top[jstack(1)] = count();
	@all = count();
}
user-marker
/copyinstr(arg1) == "deep"/
{
	printf("deep");
	jstack(1000);
	printf("end\n");
}
END { printa("all %@d\n", @all); printa("top%k%@d\n", @top); }
D
# Compares each backtrace with the stack after it.
compare() {
	awk '
	/^</ { text = substr($0, 2); own = ""; inside = 1 }
	inside == 1 && !/^</ && !/^>/ { text = $0 }
	inside == 1 && /^>$/ { inside = 2; next }
	inside == 1 { own = own text "\n"; next }
	inside == 2 && /^end$/ { if (own != given) { print "differs:"; print own; print given; bad = 1 }
		count++; given = ""; inside = 0; next }
	inside == 2 && length($0) { given = given $0 "\n" }
	END { print count " compared"; exit bad }' "$directory/out" >"$directory/compared" ||
		{ cat "$directory/compared"; fail "stacks differ from the backtraces"; }
	grep -q '^21 compared$' "$directory/compared" || fail "$(tail -1 "$directory/compared")"
}
expect_deep() {
	awk '/^deep$/ { on = 1; next } on && /^end$/ { on = 0 } on && length($0)' "$directory/out" \
		>"$directory/deep"
	[ "$(wc -l <"$directory/deep")" = 129 ] || fail "$(wc -l <"$directory/deep") lines"
	[ "$(tail -1 "$directory/deep")" = "(more frames)" ] || fail "the last line of a cut stack"
	head -1 "$directory/deep" | grep -q '^Object#recurse (.*deep.toy:21)$' || fail "the first"
}
run 0 trace --lossless -s "$directory/both.d" -x strsize=16k -c "$TOY $directory/deep.toy"
compare
expect_deep
has out '^all 21$'
has out '^20$'
has_not err 'does not walk'
cp "$directory/out" "$directory/stream"

# The same from a log, of one file and of several, and the log is in order.
run 0 record --lossless --stacks --cpu-clock -o "$directory/log" -c "$TOY $directory/deep.toy"
run 0 trace -x strsize=16k -s "$directory/both.d" --log "$directory/log"
diff "$directory/stream" "$directory/out" >/dev/null || fail "the log's stacks are others"
run 0 log --validate "$directory/log"
run 0 log "$directory/log"
has out '409 .*STACK'
run 0 export "$directory/log" --chrome -o "$directory/timeline"
run 0 flame "$directory/log" --folded -o "$directory/folded"
run 0 record --lossless --stacks --max-size 50k --rotate 100 -o "$directory/part" \
	-n 'vm$target:::method-entry' -c "$TOY $directory/deep.toy"
[ -f "$directory/part.2" ] || fail "not three files of 50 kB"
for part in "$directory/part" "$directory"/part.*; do
	run 0 log --validate "$part"
	run 0 trace -qn 'method-entry { @[jstack(1)] = count(); } END { printa("%k %@d\n", @); }' --log "$part"
	has out '(Object|Tree)#'
	has_not err 'has a guest stack|does not walk'
done

# Without stacks in it, they are kept from its calls.
run 0 record --lossless -o "$directory/plain" -c "$TOY $directory/deep.toy"
run 0 trace -qn 'user-marker { @[jstack(3)] = count(); }' --log "$directory/plain"
has err 'does not walk its stacks, or was not asked to: jstack.* kept from method-entry and method-return$'
has out '^ +Tree#init \(.*deep.toy:5\)$'
has out '^ +Tree#init$'
[ "$(grep -c 'does not walk' "$directory/err")" = 1 ] || fail "told more than once"
# ... and if there are none, that is said.
run 0 record --lossless -n 'vm$target:::user-marker' -o "$directory/marks" -c "$TOY $directory/deep.toy"
run 0 trace -qn 'user-marker { @[jstack()] = count(); }' --log "$directory/marks"
has err 'no event has a guest stack, so jstack.* is empty'

# As lines of JSON.
run 0 trace -x format=json -n 'user-marker /++n == 1/ { jstack(2); @[jstack(2)] = count(); }' \
	-c "$TOY $directory/deep.toy"
has out '"type":"trace".*"value":\["Tree#init \(.*:7\)","Tree#init \(.*:4\)"\]'
has out '"keys":\[\["Tree#init \(.*:7\)","Tree#init \(.*:4\)"\]\]'

# Variables hold stacks: where a lock was acquired, where its waiter waits. Both are those that the
# threads print themselves, in the same lines.
cat >"$directory/lock.toy" <<'TOY'
def hold(lock)
  [VM.mark(VM.backtrace()), lock.acquire]
end
def deeper(lock)
  hold(lock)
end
def contend(lock)
  [VM.mark(VM.backtrace()), lock.acquire]
  lock.release
end
lock = Lock.new("account")
deeper(lock)
t = Thread.new(fn(l)
  contend(l)
end, lock)
while lock.waiting == 0
  Thread.yield
end
lock.release
t.join
TOY
cat >"$directory/lock.d" <<'D'
#pragma D option quiet
#pragma D option stackindent=0
user-marker { printf("own\n%s", copyinstr(arg1)); }
lock-acquired { acquired[arg2] = jstack(); }
lock-release { acquired[arg2] = NULL; }
lock-wait { self->at = jstack(); waits[arg1] = self->at; holds[arg1] = acquired[arg2]; self->at = 0; }
lock-acquired
/waits[arg1] != NULL/
{
	printf("kept%kkept%k", holds[arg1], waits[arg1]);
	@[waits[arg1], copyinstr(arg3), holds[arg1]] = count();
	waits[arg1] = holds[arg1] = NULL;
	@freed[waits[arg1]] = count();
}
END { printa("%k%s%k%@d\n", @); printa("freed%k%@d\n", @freed); }
D
# Of the holder, then of the waiter: what it printed, and what was kept. Then all as keys.
compare_locks() {
	awk -v folder="$directory" '
	/^(own|kept)$/ { file = folder "/" $0 "." ++count[$0]; printf "" >file; next }
	/^$/ { file = folder "/keys"; printf "" >file; next }
	{ print >file }' "$directory/out"
	for number in 1 2; do
		cmp "$directory/own.$number" "$directory/kept.$number" || fail "another stack: $number"
	done
	grep -q '^Object#deeper ' "$directory/kept.1" || fail "the holder's stack"
	grep -q '^Object#contend ' "$directory/kept.2" || fail "the waiter's stack"
	{ cat "$directory/own.2" && echo account && cat "$directory/own.1" && printf '1\nfreed\n1\n'; } |
		diff - "$directory/keys" || fail "the keys"
}
run 0 trace --lossless -s "$directory/lock.d" -x strsize=4k -c "$TOY $directory/lock.toy"
compare_locks
run 0 record --lossless --stacks -o "$directory/locks" -c "$TOY $directory/lock.toy"
run 0 trace -s "$directory/lock.d" -x strsize=4k --log "$directory/locks"
compare_locks
run 0 trace -x format=json --log "$directory/locks" -n 'lock-wait {
	self->at = jstack(1); trace(self->at); printf("%k", self->at); self->at = 0; print(self->at); }'
has out '"type":"trace".*"value":\["Object#contend \(.*:8\)"\]'
has out '"type":"printf".*"values":\[\["Object#contend \(.*:8\)"\]\]'
has out '"type":"trace".*"value":\[\]'

# Where there is none.
run 1 trace -n 'BEGIN { jstack(); }'
has err 'jstack\( \) needs the stack of the guest program, which the probe BEGIN does not give$'
run 1 trace --log "$directory/locks" -n 'lock-wait { self->at = ustack(); }'
has err 'ustack\( \) needs the stack of the process, which this recorded log does not give'
run 2 record --ghc-only --stacks -o "$directory/none" -c "$TOY"
has err "GHC has no event for what --stacks records"
