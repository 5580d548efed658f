#!/bin/bash
# Bundled scripts that work on any runtime, on Debian's python3, php, ruby and OpenJDK through the
# kernel: what they print equals what the program itself has counted. Each program prints lines
# "NAME CALLS" of its own methods.
set -u
. tests/witness/real
need_kernel
programs=$directory

cat >"$programs/program.py" <<'END'
import gc, os, sys, time
calls = {"fib": 0, "outer": 0, "fails": 0}

def fib(n):
    calls["fib"] += 1
    return n if n < 2 else fib(n - 1) + fib(n - 2) # site

def fails():
    calls["fails"] += 1
    if "SLOW" in os.environ:
        time.sleep(0.4)
    raise ValueError("no")

def outer():
    calls["outer"] += 1
    fib(8)
    try:
        fails()
    except ValueError:
        pass

outer()
outer()
import colorsys
try:
    import nowhere
except ImportError:
    pass
for generation, count in (0, 4), (1, 3), (2, 2):
    for i in range(count):
        gc.collect(generation)
site = [number for number, text in enumerate(open(__file__), 1) if text.endswith("# site\n")][0]
with open(sys.argv[1], "w") as file:
    for name in calls:
        file.write("%s %d\n" % (name, calls[name]))
    file.write("site %d\n" % site)
    for generation in range(3):
        file.write("collections%d %d\n" % (generation, gc.get_stats()[generation]["collections"]))
os._exit(0) # without the collections of a program's end
END
echo '<?php function other() {}' >"$programs/other.php"
cat >"$programs/program.php" <<'END'
<?php
$calls = ["fib" => 0, "outer" => 0, "fails" => 0];
class Witness
{
	static function outer()
	{
		global $calls;
		$calls["outer"]++;
		fib(8);
		try {
			Witness::fails();
		} catch (RangeException $caught) {
		}
	}

	static function fails()
	{
		global $calls;
		$calls["fails"]++;
		if (getenv("SLOW"))
			usleep(400000);
		throw new RangeException("no");
	}
}
function fib($n)
{
	global $calls;
	$calls["fib"]++;
	return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}
Witness::outer();
Witness::outer();
include __DIR__ . "/other.php";
foreach ($calls as $name => $count)
	file_put_contents($argv[1], "$name $count\n", FILE_APPEND);
END
cat >"$programs/program.rb" <<'END'
# A TracePoint makes Ruby fire the probes of its calls.
TracePoint.new(:call, :return) {}.enable
$calls = Hash.new(0)

class Witness
  def outer
    $calls["outer"] += 1
    fib(8)
    begin
      fails
    rescue ArgumentError
    end
  end

  def fib(n)
    $calls["fib"] += 1
    n < 2 ? n : fib(n - 1) + fib(n - 2)
  end

  def fails
    $calls["fails"] += 1
    sleep(0.4) if ENV["SLOW"]
    raise ArgumentError, "no"
  end
end
Witness.new.outer
Witness.new.outer
begin
  require "nowhere"
rescue LoadError
end
$calls["made"] = 2
5.times { $calls["cbrt"] += 1 if Math.cbrt(8) }
3.times { GC.start(full_mark: true, immediate_sweep: true, immediate_mark: true) }
$calls["line"] = File.readlines(__FILE__).index { |line| line =~ /raise Arg/ } + 1
File.write(ARGV[0], $calls.map { |name, count| "#{name} #{count}\n" }.join)
END
cat >"$programs/Witness.java" <<'END'
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

public class Witness {
	static int fibs, outers, fails, boxes;
	static final Object lock = new Lock();

	static class Lock {
	}

	static class Box {
		Box() {
			boxes++;
		}
	}

	static long collections(boolean full) {
		long sum = 0;
		for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
			if (full == bean.getName().startsWith("MarkSweep"))
				sum += bean.getCollectionCount();
		return sum;
	}

	static int fib(int n) {
		fibs++;
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static void fails() throws Exception {
		fails++;
		Thread.sleep(400); /* is among the slowest calls */
		throw new Exception("no");
	}

	static void outer() {
		outers++;
		fib(8);
		try {
			fails();
		} catch (Exception e) {
		}
	}

	/* Formatting would load many classes. */
	static void tell(String name, long count) {
		System.out.print(name);
		System.out.println(count);
	}

	public static void main(String[] words) throws Exception {
		long young = collections(false), full = collections(true);
		byte[] waste = null;

		System.out.println("ready");
		System.in.read();
		outer();
		outer();
		Box box = null;
		for (int i = 0; i < 250; i++)
			box = new Box();
		for (int i = 0; i < 3; i++)
			System.gc();
		for (int i = 0; i < 30; i++)
			waste = new byte[1 << 20];
		Thread thread = new Thread(() -> { synchronized (lock) { boxes += 0; } });
		synchronized (lock) {
			thread.start();
			while (thread.getState() != Thread.State.BLOCKED)
				Thread.sleep(1);
		}
		thread.join();
		tell("fib ", fibs);
		tell("outer ", outers);
		tell("fails ", fails);
		tell("boxes ", boxes);
		tell("collections0 ", collections(false) - young);
		tell("collections1 ", collections(true) - full);
	}
}
END

export USE_ZEND_DTRACE=1
runtimes=()
known=$directory/known

# The number that a program knows.
knows() { awk -v name="$1" '$1 == name { print $2 }' "$known"; }

# A method as scripts write it.
method_text() { # class, method
	case $1 in
	'(none)') echo "$2" ;;
	*.py) echo "${1%.py}.$2" ;;
	*) echo "$1#$2" ;;
	esac
}

# Compares a script's output with what the program knows. class is that of fib, "." its column's end.
compare() { # script, runtime, class of fib, class of the others
	local out=$directory/traced fibs outers fails sum
	fibs=$(knows fib) outers=$(knows outer) fails=$(knows fails)
	[ -s "$known" ] && [ "$fibs" -gt 100 ] && [ "$outers" = 2 ] && [ "$fails" = 2 ] || fail "$2 knows nothing"
	case $1 in
	method_count)
		awk -v a="$3" -v b="$4" -v fibs="$fibs" '
			$1 == a && $2 == "fib" && $3 == fibs { found++ }
			$1 == b && ($2 == "outer" || $2 == "fails") && $3 == 2 { found++ }
			END { exit found != 3 }' "$out" || fail "$1 of $2"
		;;
	method_time | method_cpu)
		# What outer takes includes fib and fails, which own their parts of it.
		awk -v a="$3" -v b="$4" -v fibs="$fibs" '
			$1 == a && $2 == "fib" && $5 == fibs { own = $3; found++ }
			$1 == b && $2 == "outer" && $5 == 2 { outer = $4; mine = $3; found++ }
			$1 == b && $2 == "fails" && $5 == 2 { fails = $4; found++ }
			END { exit found != 3 || outer < own + fails + mine || own < 1 || mine < 1 }' "$out" ||
			fail "$1 of $2"
		;;
	method_distribution)
		sum=$(awk -v title="$(method_text "$3" fib):" '/:$/ { here = $0 == title } here && NF > 2 && $2 ~ /^\|/ { sum += $NF }
			END { print sum + 0 }' "$out")
		[ "$sum" = "$fibs" ] || fail "$1 of $2: $sum"
		;;
	method_flow)
		# Each call of fib is in fib or in outer: as deep as its indentation.
		awk -v name="$(method_text "$3" fib)" -v outer="$(method_text "$4" outer)" -v fibs="$fibs" '
			$3 == "->" { depth = index($0, "->"); caller[$1, depth] = $4; calls += $4 == name }
			$3 == "->" && $4 == name && caller[$1, depth - 2] != name && caller[$1, depth - 2] != outer { wrong++ }
			$3 == "<-" && caller[$1, index($0, "<-")] != $4 { wrong++ }
			$3 == "<-" && $4 == name { returns++ }
			END { exit wrong || calls != fibs || returns != fibs }' "$out" || fail "$1 of $2"
		;;
	call_log)
		awk -v name="$(method_text "$3" fib)" -v outer="$(method_text "$4" outer)" -v fibs="$fibs" '
			$5 ~ />$/ && $6 == name { fib++ }
			$5 ~ /^</ && $6 == name { ends++ }
			$5 ~ />$/ && $6 == outer { outers++ }
			END { exit fib != fibs || ends != fibs || outers != 2 }' "$out" || fail "$1 of $2"
		;;
	flame) # each call of fib is in fib or in outer, and what fails leaves its caller as it was
		awk -v name="$(method_text "$3" fib)" -v outer="$(method_text "$4" outer)" \
			-v fails="$(method_text "$4" fails)" -v fibs="$fibs" '
			{ calls = $NF; sub(/ [0-9]+$/, ""); count = split($0, frames, ";"); above = frames[count - 1] }
			frames[count] == name { fib += calls }
			frames[count] == name && above != name && above != outer { wrong++ }
			frames[count] == fails { failed += calls }
			frames[count] == fails && above != outer { wrong++ }
			frames[count] == outer { outers += calls }
			END { exit wrong || fib != fibs || failed != 2 || outers != 2 }' "$out" || fail "$1 of $2"
		;;
	call_sites)
		awk -v class="$3" -v fibs="$fibs" -v line="$(knows site)" '
			NF > 5 && $(NF - 4) == class && $(NF - 3) == "fib" { calls += $(NF - 2) }
			NF > 5 && $(NF - 4) == class && $(NF - 3) == "fib" && $(NF - 5) == line { there += $(NF - 2) }
			END { exit calls != fibs || (line && there != fibs - 2) }' "$out" || fail "$1 of $2"
		;;
	slowest_calls)
		awk -v class="$4" -v by="$(method_text "$4" outer)" '
			$1 == class && $2 == "fails" && $(NF - 1) == by && $NF > 390000000 { fails++ }
			$1 == class && $2 == "outer" && $NF > 390000000 { outer++ }
			END { exit fails != 1 || !outer || NR > 22 }' "$out" || fail "$1 of $2"
		;;
	esac
}

# The numbers in the columns of the line that begins with the text; "" if there is none.
line_of() { # text with which it begins, columns
	awk -v text="$1" -v columns="$2" '
		{ line = $0; gsub(/ +/, " ", line); sub(/^ /, "", line) }
		index(line, text " ") == 1 { count = split(columns, wanted, " "); for (i = 1; i <= count; i++) printf "%s%s", (i > 1 ? " " : ""), $wanted[i]; exit }' "$directory/traced"
}

# A line of the output: the values in its columns.
equals() { # script and runtime, text with which the line begins, columns, values
	[ -n "$4" ] || fail "$1: nothing is known"
	[ "$(line_of "$2" "$3")" = "$4" ] || {
		cat "$directory/traced"
		fail "$1: '$2' has $(line_of "$2" "$3"), not $4"
	}
}

# The sum of a column of stat.
column() { # number
	awk -v column="$1" '$1 ~ /^[0-9]+$/ { sum += $column } END { print sum + 0 }' "$directory/traced"
}

# Compares the output of further scripts.
compare_more() { # script, runtime
	local which="$1 of $2" all fibs
	fibs=$(knows fib)
	all=$(awk '/^collections/ { sum += $2 } END { print sum }' "$known")
	case "$1 $2" in
	"gc_pause python")
		for generation in 0 1 2; do
			equals "$which" "gc $generation" 3 "$(knows collections$generation)"
		done
		;;
	"gc_pause hotspot")
		for generation in 0 1; do
			equals "$which" "gc $generation" 3 "$(knows collections$generation)"
		done
		;;
	"gc_pause HaskellEvent") equals "$which" "gc -" 3 "$all" ;;
	"stat HaskellEvent") [ "$(column 5) $(column 7)" = "$(knows switches) $all" ] || fail "$which" ;;
	"gc_overhead HaskellEvent")
		sum=$(awk '$1 ~ /^[0-9]+$/ { all += $2; pauses += $4 } END { print all, pauses }' "$directory/traced")
		[ "$sum" = "$all $all" ] || fail "$which: $sum, not $all"
		;;
	"gc_phases python" | "gc_phases hotspot" | "gc_phases HaskellEvent") equals "$which" whole 2 "$all" ;;
	"gc_overhead "*)
		full=$(knows "collections$([ "$2" = python ] && echo 2 || echo 1)")
		sum=$(awk '$1 ~ /^[0-9]+$/ { all += $2; full += $3; pauses += $4 } END { print all, full, pauses }' "$directory/traced")
		[ "$sum" = "$all $full $all" ] || fail "$which: $sum, not $all $full"
		;;
	# GC.start collects at once; the program may also collect by itself.
	"gc_pause ruby") [ "$(line_of "mark -" 3)" -ge 3 ] || fail "$which" ;;
	"gc_phases ruby")
		for part in mark sweep; do
			[ "$(line_of $part 2)" -ge 3 ] || fail "$which: $part"
		done
		;;
	"snoop python")
		[ "$(grep -c ' the world was stopped for ' "$directory/traced")" = "$all" ] || fail "$which: collections"
		grep -q ' import nowhere$' "$directory/traced" || fail "$which: imports"
		;;
	"snoop php")
		[ "$(grep -c ' raises RangeException$' "$directory/traced")" = "$(knows fails)" ] || fail "$which: exceptions"
		grep -q " load $programs/other.php$" "$directory/traced" || fail "$which: files"
		;;
	"snoop ruby")
		[ "$(grep -c " raises ArgumentError in $programs/program.rb:$(knows line)$" "$directory/traced")" = "$(knows fails)" ] ||
			fail "$which: exceptions"
		grep -q " require nowhere in $programs/program.rb:" "$directory/traced" || fail "$which: files"
		;;
	"snoop hotspot")
		[ "$(grep -c ' the world was stopped for ' "$directory/traced")" = "$all" ] || fail "$which: collections"
		grep -q ' thread [0-9]* begins: Thread-0$' "$directory/traced" || fail "$which: threads"
		;;
	"snoop HaskellEvent") [ "$(grep -c ' the world was stopped for ' "$directory/traced")" = "$all" ] || fail "$which" ;;
	"gc_requests python") equals "$which" "0 program.py <module>" 4 9 ;; # 4, 3 and 2 of the generations
	"stat python") [ "$(column 7)" = "$all" ] || fail "$which" ;;
	"stat php") [ "$(column 6)" = "$(knows fails)" ] && [ "$(column 1)" = $((fibs + 6)) ] || fail "$which" ;;
	"stat ruby") [ "$(column 6)" = 3 ] && [ "$(column 7)" -ge 3 ] || fail "$which" ;; # LoadError too
	"stat hotspot") [ "$(column 7)" = "$all" ] || fail "$which" ;;
	"native_time ruby") equals "$which" "Math cbrt" 5 "$(knows cbrt)" ;;
	"load_tree python")
		grep -q ' import colorsys has ended$' "$directory/traced" || fail "$which"
		grep -q ' import nowhere has failed$' "$directory/traced" || fail "$which"
		[ "$(grep -c ' import [^ ]*$' "$directory/traced")" = "$(grep -c ' import .* has ' "$directory/traced")" ] ||
			fail "$which: starts and ends"
		;;
	"failed_searches python") equals "$which" "nowhere (unknown) 0 ImportError" 5 1 ;;
	"failed_searches ruby") equals "$which" "nowhere $programs/program.rb" "4 5" "LoadError 1" ;;
	"load_tree ruby") grep -qE " require nowhere has ended$" "$directory/traced" || fail "$which" ;;
	"load_tree php") grep -qE "^ +[0-9]+    load $programs/other.php has ended$" "$directory/traced" || fail "$which" ;;
	"parse_time php")
		equals "$which" "$programs/other.php" 2 1
		equals "$which" "$programs/program.php" 2 1
		;;
	"parse_time ruby") equals "$which" "$programs/program.rb" 2 1 ;;
	"exceptions_by_site php") equals "$which" "RangeException (unknown) 0" 4 "$(knows fails)" ;;
	"exceptions_by_site ruby") equals "$which" "ArgumentError $programs/program.rb $(knows line)" 4 "$(knows fails)" ;;
	"exceptions_swallowed php")
		equals "$which" "RangeException (unknown) 0 (unknown) 0" 6 "$(knows fails)"
		equals "$which" "RangeException $(knows fails)" "2 3 4" "$(knows fails) $(knows fails) 0"
		;;
	"exception_storms php") equals "$which" "RangeException (unknown) 0" 4 1 ;;
	"exception_storms ruby") equals "$which" "ArgumentError $programs/program.rb $(knows line)" 4 1 ;;
	"alloc_by_class ruby") equals "$which" Witness "2 3" "0 $(knows made)" ;;
	# OpenJDK 17 tells wrong sizes of what interpreted code allocates.
	"alloc_by_class hotspot") equals "$which" 'Witness$Box' 3 "$(knows boxes)" ;;
	"alloc_count ruby") [ "$(awk '$3 == "Witness" { sum += $4 } END { print sum }' "$directory/traced")" = "$(knows made)" ] || fail "$which" ;;
	"alloc_count hotspot" | "alloc_by_site hotspot")
		equals "$which" "(unknown) 0 Witness\$Box" "$([ "$1" = alloc_count ] && echo 4 || echo 5)" "$(knows boxes)"
		;;
	"alloc_rate hotspot")
		[ "$(awk '$1 == "Witness$Box" { sum += $3 } END { print sum }' "$directory/traced")" = "$(knows boxes)" ] || fail "$which"
		;;
	"lock_wait hotspot") equals "$which" 'Witness$Lock' 2 1 ;;
	"blocked_by_reason hotspot") equals "$which" 'lock Witness$Lock' 3 1 ;;
	*) fail "$which is not compared" ;;
	esac
}

calls="method_count method_time method_cpu method_distribution method_flow call_log call_sites slowest_calls"
# Runs on its own, so that runtimes do not wait for each other.
each() { # runtime, class of fib, class of the others, command, further scripts
	local script
	directory=$programs/of_$1 known=$programs/of_$1/known
	mkdir "$directory"
	for script in $calls $5; do
		rm -f "$known" "$directory/traced"
		unset SLOW
		[ "$script" != slowest_calls ] || export SLOW=1
		argument=
		[ "$script" != exception_storms ] || argument=2
		# shellcheck disable=SC2086
		run 0 trace "$script" -o "$directory/traced" -c "$4 $known" $argument
		[ ! -s "$directory/err" ] || fail "$script of $1"
		case " $calls " in
		*" $script "*) compare "$script" "$1" "$2" "$3" ;;
		*) compare_more "$script" "$1" ;;
		esac
	done
	if [ -n "$calls" ]; then
		rm -f "$known" "$directory/traced"
		run 0 flame --exact --by calls --folded -o "$directory/traced" -c "$4 $known"
		[ ! -s "$directory/err" ] || fail "flame of $1"
		compare flame "$1" "$2" "$3"
	fi
	echo "$1: $calls flame $5"
}

python=/usr/bin/python3
# Python 3.12 and later have no probes of calls.
[[ $(readlink -f $python) != *python3.11 ]] ||
	each python program.py program.py "$python -S $programs/program.py" \
		"gc_pause gc_phases gc_overhead gc_requests load_tree failed_searches stat snoop" &
runtimes+=($!)
php=$(readlink -f /usr/bin/php)
[ ! -e "$php" ] || each php '(none)' Witness "$php $programs/program.php" \
	"load_tree parse_time exceptions_by_site exceptions_swallowed exception_storms stat snoop" &
runtimes+=($!)
[ ! -e /usr/bin/ruby ] || each ruby Witness Witness "/usr/bin/ruby --disable-gems $programs/program.rb" \
	"gc_pause gc_phases load_tree failed_searches parse_time exceptions_by_site exception_storms alloc_by_class
	alloc_count native_time stat snoop" &
runtimes+=($!)

# A program that has GHC's probes and no others.
cat >"$programs/haskell.c" <<'END'
#include <stdio.h>
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	FILE *file = fopen(argv[argc - 1], "w");

	for (unsigned i = 0; i < 30; i++) {
		DTRACE_PROBE2(HaskellEvent, run__thread, (unsigned short)0, i);
		if (i % 5)
			continue;
		DTRACE_PROBE1(HaskellEvent, gc__start, (unsigned short)0);
		DTRACE_PROBE1(HaskellEvent, gc__end, (unsigned short)0);
	}
	fprintf(file, "switches 30\ncollections 6\n");
	return fclose(file);
}
END
${CC:-cc} -O2 -o "$programs/haskell" "$programs/haskell.c" || fail "compiling"
calls='' each HaskellEvent - - "$programs/haskell" "gc_pause gc_phases gc_overhead stat snoop" &
runtimes+=($!)

# A JVM takes long to start; all scripts trace one.
home=/usr/lib/jvm/java-17-openjdk-amd64
if [ -e $home/bin/javac ]; then
	$home/bin/javac -d "$programs" "$programs/Witness.java" || fail "javac"
	more="gc_pause gc_phases gc_overhead alloc_by_class alloc_by_site alloc_rate alloc_count
		lock_wait blocked_by_reason stat snoop"
	start_waiting "$home/bin/java -Xint -XX:+UseSerialGC -Xmn8m -XX:+ExtendedDTraceProbes -cp $programs Witness"
	known=$directory/waiting/out
	tracers=()
	for script in $calls $more; do
		"$VMTAP" trace "$script" -n 'tick-1ms /!told++/ { printf("attached\n"); }' -p "$waiting" \
			-o "$directory/$script" 2>"$directory/$script.err" </dev/null &
		tracers+=($!)
	done
	pids+=("${tracers[@]}")
	for script in $calls $more; do
		await "$script does not attach" grep -q attached "$directory/$script"
	done
	continue_waiting
	for tracer in "${tracers[@]}"; do
		wait "$tracer" || fail "a trace: status $?"
	done
	for script in $calls $more; do
		[ ! -s "$directory/$script.err" ] || fail "$script: $(cat "$directory/$script.err")"
		grep -v '^attached' "$directory/$script" >"$directory/traced"
		case " $calls " in
		*" $script "*) compare "$script" hotspot Witness Witness ;;
		*) compare_more "$script" hotspot ;;
		esac
	done
	run 0 flame --exact --by calls --folded -o "$directory/traced" \
		-c "$home/bin/java -Xint -XX:+UseSerialGC -XX:+ExtendedDTraceProbes -cp $programs Witness"
	cp "$directory/out" "$known"
	compare flame hotspot Witness Witness
	# The one method that may be compiled is, at its first call; the JVM prints each compilation.
	rm -f "$directory/traced"
	run 0 trace compile_time -o "$directory/traced" -c "$home/bin/java -Xcomp -XX:TieredStopAtLevel=1
		-XX:CompileCommand=quiet -XX:CompileOnly=Witness.fib -XX:+PrintCompilation -XX:+ExtendedDTraceProbes
		-cp $programs Witness"
	[ ! -s "$directory/err" ] || fail "compile_time of hotspot"
	compiled=$(grep -c ' Witness::fib ' "$directory/out")
	[ "$compiled" -ge 1 ] || fail "compile_time of hotspot: nothing is compiled"
	equals "compile_time of hotspot" "Witness fib" "3 4" "1 $compiled"
	echo "hotspot: $calls $more flame compile_time"
fi
for runtime in "${runtimes[@]}"; do
	wait "$runtime" || fail "a runtime"
done
exit 0
