#!/bin/bash
# The kernel source on Debian 12's kernel (6.1), which has neither links for many sites nor
# bpf_copy_from_user_str(): each site is a perf event, strings are read in three steps.
# limit: 900
set -u
. tests/witness/guest
. tests/witness/guest_providers
need_guest

give "$VMTAP" /bin/vmtap
for tool in load_plans usdt_target usdt_forms usdt_stacks usdt_family usdt_loader; do
	give "$BUILD/tests/tools/$tool" "/bin/$tool"
done
give "$TOY" /bin/toy
give "$BUILD/tests/test_kernel_reduce" /bin/test_kernel_reduce
mkdir -p "$image/tmp"
give_providers
for name in one two; do
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/lib$name.so" tests/tools/usdt_loader.c || fail "compiling"
	give "$directory/lib$name.so" "/tmp/lib$name.so"
done
cp examples/toy/programs/queens.toy "$image/tmp/"
for ((i = 0; i < 16; i++)); do
	printf '%-4088s<%06d>' x "$i"
done >"$image/tmp/cold"
printf '<last>\0' >>"$image/tmp/cold"
cat >"$image/tmp/forms.d" <<'END'
forms$target:::nine { printf("nine %d %d %d %d %d %d %u %s %d\n", arg0, arg1, arg2, arg3, arg4, arg5,
	arg6, copyinstr(arg7), arg8); }
forms$target:::globals { printf("globals %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5); }
forms$target:::indices { printf("indices %d %d %d %d\n", arg0, arg1, arg2, arg3); }
forms$target:::pointers { printf("pointers %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4); }
forms$target:::halves { printf("halves %d %d %d\n", arg0, arg1, arg2); }
forms$target:::several { printf("several %d\n", arg0); }
forms$target:::calls { printf("calls %d\n", arg0); }
END
cat >"$image/tmp/pairs.d" <<'END'
struct pair { struct pair *next; char *name; int value; };
sample$target:::number
/arg0 == 7/
{
	this->pair = (struct pair *)copyin(arg2, sizeof (struct pair));
	this->next = (struct pair *)copyin((uintptr_t)this->pair->next, sizeof (struct pair));
	printf("pairs: %s %d %s %d\n", copyinstr((uintptr_t)this->pair->name), this->pair->value,
	    copyinstr((uintptr_t)this->next->name), this->next->value);
}
END
cat >"$directory/script" <<'END'
CK_FORK=no test_kernel_reduce
for reduce in yes no; do
	VMTAP_DEBUG=kernel vmtap trace --via=kernel -q -x reduce=$reduce -o reduce.$reduce -c "toy queens.toy" -n '
	vm$target:::method-entry { @ = count(); @s = stddev(arg3); @m = min(arg3); self->n++; self->t = arg3;
	@b[copyinstr(arg0), copyinstr(arg1), execname, arg3] = quantize(arg3); }
	vm$target:::method-return { @d[self->t] = avg(self->n); }
	vm$target:::method-return /copyinstr(arg1) == "solutions"/ { @z = count(); }'
done
cmp reduce.yes reduce.no && echo "reduced: $(wc -l <reduce.yes)"
for reduce in yes no; do
	VMTAP_DEBUG=kernel vmtap trace -q -x reduce=$reduce -o stacks.$reduce -c "usdt_target 100" -n '
	sample$target:::number { @[ustack(2), arg0 % 3] = sum(arg0); @b[ustack(1), uregs[R_RAX] != 0, ppid != 0] = count();
	self->v = vtimestamp; @late = sum(vtimestamp < self->v || !self->v); }'
done
cmp stacks.yes stacks.no && echo "stacks: $(grep -c main stacks.yes)"
load_plans 1 150
echo "plans: $?"
vmtap trace -q -c "usdt_target 1000" -n 'BEGIN { disorder = 0; last = (int64_t)0; }
	sample$target:::number { @n = count(); @s = sum(arg0);
	@d = sum((int64_t)arg1); disorder += arg0 != last + 1; last = arg0; }
	END { printf("number: %d", disorder); printa(" %@d", @n); printa(" %@d", @s); printa(" %@d\n", @d); }'
vmtap trace -q -c "usdt_target 1" -n 'sample$target:::sizes { printf("sizes: %d %d %d %d %d %d %x\n",
	arg0, arg1, arg2, arg3, arg4, arg5, arg6); }'
vmtap trace -q -c "usdt_target 10" -s pairs.d
vmtap trace -q -x strsize=16 -c "usdt_target cold cold" -n 'sample$target:::text {
	printf("cold: %s %s\n", copyinstr(arg0), stringof(copyin(arg0, arg1))); }'
vmtap trace -q -x strsize=16 -c "usdt_target cold cold" -n 'sample$target:::text { self->p = arg0; self->n = arg1; }
	sample$target:::text /self->p/ { printf("kept: %s %s\n", copyinstr(self->p),
	stringof(copyin(self->p, self->n))); self->p = 0; }'
vmtap trace --via=kernel -q -c "toy queens.toy" -n 'BEGIN { same = 0; all = 0; }
	vm$target:::method-entry { self->method = arg1; }
	vm$target:::method-return /self->method/ { same += copyinstr(self->method) == copyinstr(arg1); all++;
	self->method = 0; } END { printf("methods: %d %d\n", all > 0, same == all); }'
VMTAP_DEBUG=kernel vmtap trace -q -c usdt_forms -s forms.d -o forms.traced >forms.known
sed '/^$/d' forms.traced | cmp - forms.known && echo "forms: $(wc -l <forms.known)"
vmtap trace -q -c "usdt_target 300" -n 'pid$target:a.out:main:entry { printf("main: %d", arg0); }
	pid$target:libc:printf:entry { @ = count(); }
	pid$target:a.out:main:return { printf(" %d\n", (int)arg1); ustack(1); }'
vmtap trace -q -c "usdt_target 1" -n 'pid$target:a.out:main:entry { printf("who: %s %d %d %d %d %s\n",
	execname, uid, ppid != 0, vtimestamp > 0, uregs[R_RDI] == arg0, execargs); }'
vmtap trace -q -c "usdt_target 1" -n 'sample$target:::number { printf("where: %s %s %d\n", cwd, root,
	(uintptr_t)curthread >> 63); }'
vmtap trace -q -c "toy queens.toy" -n 'profile-97 /pid == $target/ { @ = count();
	@odd = sum((arg0 != 0) == (arg1 != 0)); @main[ustack()] = count(); }
	END { printa("samples: %@d", @); printa(" %@d\n", @odd); printa(@main); }'
vmtap trace -q -n 'profile-10 { @[execname] = count(); } tick-2s { exit(0); }'
vmtap trace --lossless --via=stream -q -o stream -c "toy queens.toy" -n 'vm$target:::method-entry {
	@[copyinstr(arg0), copyinstr(arg1), arg3] = count(); }' >/dev/null
vmtap trace --via=kernel -q -o kernel -c "toy queens.toy" -n 'vm$target:::method-entry {
	@[copyinstr(arg0), copyinstr(arg1), arg3] = count(); }' >/dev/null
cmp stream kernel && echo "toy: $(grep -c . kernel)"
vmtap trace -o storm -c "usdt_target storm 1" -n 'sample$target:::number { @ = count(); }' >fired 2>lost
echo "storm: $(grep -E '^[0-9]+$' fired)" $(awk 'NF == 1' storm) $(sed -n 's/.* \([0-9]*\) drops.*/\1/p' lost)

# Stacks that programs walk over, once they know them: three rounds, each when later ticks have come,
# with the same stacks; then one round without programs that reduce.
mkfifo rounds
usdt_stacks <rounds >walks.said &
target=$!
exec 3>rounds
until grep -q ready walks.said; do sleep 0.1; done
: >walks
VMTAP_DEBUG=kernel vmtap trace --via=kernel -q -x bufsize=32m -p $target -o walks -n '
tick-10ms /!said/ { printf("begun\n"); said = 1; }
stacks$target:::hit { @n = count(); }
stacks$target:::hit { @[arg0, ustack()] = count(); @q[ustack(1)] = quantize(arg0); @two[ustack(2), ustack(6)] = avg(arg0); }
tick-50ms { printa("hits %@d\n", @n); } END { trunc(@n); trunc(@q); trunc(@two); printa("of %d %k walked %@d\n", @); trunc(@); }' >/dev/null 2>walks.err 3>&- &
tracer=$!
until grep -q '^begun$' walks || ! kill -0 $tracer; do sleep 0.1; done
for round in 139 278 417; do
	echo >&3
	until [ "$(grep -c "^hits $round\$" walks)" -gt 3 ] || ! kill -0 $tracer; do sleep 0.1; done
done
exec 3>&-
wait $target
wait $tracer
sed -n "s/.*: \([0-9]*\) bytes of records\$/walks: \1/p" walks.err
sed -n 's/^ *walked /walked /p' walks
echo | VMTAP_DEBUG=kernel vmtap trace --via=kernel -q -x bufsize=32m -x reduce=no -c usdt_stacks -o round -n 'stacks$target:::hit { @[ustack()] = count(); }' 2>round.err
sed -n "s/.*: \([0-9]*\) bytes of records\$/round: \1/p" round.err

# Processes that a program starts, by fork, vfork and exec; processes that nobody names; libraries that
# are loaded, removed and loaded again, and another program after them.
for reduce in yes no; do
	vmtap trace -q --follow -x reduce=$reduce -n 'family*:::begins,family*:::work,family*:::ends {
	@[probename] = count(); @wrong = sum(arg0 != pid); } END { printa("%s %@d ", @); printa("wrong %@d", @wrong); }' \
		-- /bin/usdt_family fork 2 exec vfork work 1 >followed
	echo "followed, $reduce:" $(cat followed)
done
usdt_family wait /tmp/never &
known=$!
vmtap trace -q -o unnamed -n 'BEGIN { n = 0; } tick-10ms /!said/ { printf("begun\n"); said = 1; }
	family*:::work { @[execname] = sum(arg1); } family*:::work /++n == 12/ { exit(0); }' &
tracer=$!
until grep -q begun unnamed || ! kill -0 $tracer; do sleep 0.1; done
usdt_family fork 2 work 6
wait $tracer
kill $known
echo "unnamed:" $(grep . unnamed)
printf '%s\n' "load ./libone.so" "call 5" drop "load ./libone.so" "call 3" "load ./libtwo.so" "call 2" "exec usdt_loader" \
	"load ./libtwo.so" "call 4" | vmtap trace -Z -q -c usdt_loader -n 'later$target:::begins { @b = count(); }
	later$target:::number { @[probemod] = count(); @s[probemod] = sum(arg1); }
	END { printa("begins %@d ", @b); printa("%s %@d %@d ", @, @s); }' >loaded
echo "loaded:" $(cat loaded)

# However the tracer ends, the guard closes.
mkfifo in
usdt_target wait <in >ready &
target=$!
exec 3>in
until grep -q ready ready; do :; done
vmtap trace -q -p $target -n 'sample$target:::number { @ = count(); }' &
tracer=$!
guard() { vmtap list --json $target | grep -q '"traced": true'; }
until guard; do :; done
kill -9 $tracer
wait $tracer
while guard; do :; done
vmtap trace -q -p $target -n 'sample$target:::number { @ = count(); } END { printa("again: %@d\n", @); }' &
tracer=$!
until guard; do :; done
echo go >&3
exec 3>&-
wait $target
echo "target: $?"
wait $tracer
END
providers_script >>"$directory/script"
run_guest "$directory/script"
cp "$directory/console" "$directory/out"
check_providers
has out '^100%: Checks: [0-9]+, Failures: 0, Errors: 0$'
has out ' 6 instructions that aggregate are carried out'
has out '^reduced: [1-9][0-9]$'
has out '^plans: 0$'
has out ' 3 instructions that aggregate are carried out'
has out '^stacks: [1-9]'
has out '^number: 0 1000 500500 -500500$'
has out '^sizes: 200 -2 4000000000 -5000000000 42 -3 1122334455667788$'
has out '^pairs: first 7 last 14$'
[ "$(grep -cE '^cold: <0000[01][0-9]>x +<0000[01][0-9]>x +$' "$directory/out")" = 15 ] || fail "strings in pages that were not resident"
has out '^cold: <000015><last> '
[ "$(grep -cE '^kept: <0000[01][0-9]>x +<0000[01][0-9]>x +$' "$directory/out")" = 15 ] || fail "strings at addresses in variables"
has out '^methods: 1 1$'
has out '^forms: 12$'
has out '^main: 2 0$'
grep -qE ' ([0-9]+) sites, [0-9]+ programs, \1 links$' "$directory/out" || fail "each site needs an event of its own"
has out '^toy: [1-9]'
has out '^who: usdt_target 0 1 1 1 usdt_target 1$'
has out '^where: /tmp / 1$'
has out '^samples: [1-9][0-9]* 0$'
has out '^ +toy`main\+'
has out '^ *swapper/[01] +[1-9]'
# each stack came three times; of three updates for each, the first round's were sent
[ "$(awk '/^walked/ { sum += $2; odd += $2 % 3 } END { print sum + 0, odd + 0 }' "$directory/out")" = "417 0" ] || fail "stacks that programs walk over"
read -r records < <(sed -n 's/^walks: //p' "$directory/out")
read -r round < <(sed -n 's/^round: //p' "$directory/out")
[ "${records:-0}" -gt 0 ] && [ "$records" -lt $((${round:-0} * 6)) ] || fail "programs do not learn stacks: $records bytes of records, $round of one round"
for reduce in yes no; do
	has out "^followed, $reduce: work 2 ends 5 begins 7 wrong 0\$"
done
has out '^unnamed: begun usdt_family 30$'
has out '^loaded: begins 4 libtwo.so 6 39 libone.so 8 63$'
has out '^again: 1000$'
has out '^target: 0$'
read -r _ fired counted lost < <(grep '^storm: ' "$directory/out")
[ $((counted + ${lost:-0})) = "$fired" ] || fail "fired $fired, counted $counted, lost ${lost:-0}"
exit 0
