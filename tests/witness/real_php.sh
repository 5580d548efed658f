#!/bin/bash
# Debian's php: the probes of its calls, which it fires only with USE_ZEND_DTRACE=1 in its
# environment, against what the program itself counts.
set -u
. tests/witness/real
php=$(readlink -f /usr/bin/php)
need_program "$php"
need_kernel
"$VMTAP" list "$php" | grep -q function-entry || { echo "$php has no probes" && exit 77; }

cat >"$directory/other.php" <<'END'
<?php
function other($n) { global $calls; $calls["other"]++; return $n; }
other(1);
END
cat >"$directory/program.php" <<'END'
<?php
$calls = array_fill_keys(["fib", "bar", "baz", "other", "thrown"], 0);
class Foo
{
	function bar($n)
	{
		global $calls;
		$calls["bar"]++;
		return str_repeat("x", $n);
	}

	static function baz()
	{
		global $calls;
		$calls["baz"]++;
		throw new RangeException("no");
	}
}
function fib($n)
{
	global $calls;
	$calls["fib"]++;
	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}
fib(9);
for ($i = 0; $i < 17; $i++)
	(new Foo)->bar($i);
for ($i = 0; $i < 5; $i++) {
	try {
		Foo::baz();
	} catch (RangeException $caught) {
		$calls["thrown"]++;
	}
}
include __DIR__ . "/other.php";
other(2);
ob_start();
foreach (["fib" => " ", "bar" => "Foo ::", "baz" => "Foo ::", "other" => " "] as $name => $class) {
	echo "function-entry $class $name {$calls[$name]}\n";
	echo "function-return $class $name {$calls[$name]}\n";
}
echo "exception-thrown RangeException {$calls["thrown"]}\n";
echo "compile-file-return other.php 1\ncompile-file-return program.php 1\n";
file_put_contents($argv[1], ob_get_clean());
END
cat >"$directory/program.d" <<'END'
php$target:::function-entry, php$target:::function-return
/copyinstr(arg0) != "main"/
{ @calls[probename, copyinstr(arg3), copyinstr(arg4), copyinstr(arg0)] = count(); }
php$target:::exception-thrown { @thrown[probename, copyinstr(arg0)] = count(); }
php$target:::compile-file-return /copyinstr(arg1) != ""/
{ @compiled[probename, basename(copyinstr(arg1))] = count(); }
END
cat >>"$directory/program.d" <<'END'
END {
	printa("%s %s %s %s %@d\n", @calls);
	printa("%s %s %@d\n", @thrown);
	printa("%s %s %@d\n", @compiled);
}
END
unset USE_ZEND_DTRACE
run 0 trace -q -c "$php $directory/program.php $directory/known" -n 'php$target:::function-entry { @ = count(); }'
has err 'function-entry has not fired: PHP fires it only if USE_ZEND_DTRACE=1 is in its environment'
export USE_ZEND_DTRACE=1
run 0 trace -q -c "$php $directory/program.php $directory/known" -s "$directory/program.d" -o "$directory/traced"
sort "$directory/known" >"$directory/expected"
sort "$directory/traced" | sed '/^$/d' >"$directory/got"
same "$directory/expected" "$directory/got" "calls, exceptions and files"

if command -v bpftrace >/dev/null; then
	by_bpftrace 'usdt:'"$php"':php:function__entry { printf("function-entry %s %s%s%s %d\n", str(arg0),
			str(arg3), str(arg4), str(arg1), arg2); }
		usdt:'"$php"':php:exception__thrown { printf("exception-thrown %s\n", str(arg0)); }' \
		"$php $directory/program.php $directory/known" "$directory/by_bpftrace"
	rm "$directory/traced"
	run 0 trace -q -c "$php $directory/program.php $directory/known" -o "$directory/traced" -n '
		php$target:::function-entry { printf("%s %s %s%s%s %d\n", probename, copyinstr(arg0), copyinstr(arg3),
			copyinstr(arg4), copyinstr(arg1), arg2); }
		php$target:::exception-thrown { printf("%s %s\n", probename, copyinstr(arg0)); }'
	sed '/^$/d' "$directory/traced" >"$directory/got"
	grep -E '^(function-entry|exception-thrown) ' "$directory/by_bpftrace" >"$directory/expected"
	same "$directory/expected" "$directory/got" "what bpftrace reads"
fi
exit 0
