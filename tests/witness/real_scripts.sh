#!/bin/bash
# Bundled scripts that work on any runtime, on Debian's python3, php, ruby and OpenJDK through the
# kernel: what they print equals what the program itself has counted. Each program prints lines
# "NAME CALLS" of its own methods.
set -u
. tests/witness/real
need_kernel

cat >"$directory/program.py" <<'END'
import os, sys, time
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
site = [number for number, text in enumerate(open(__file__), 1) if text.endswith("# site\n")][0]
with open(sys.argv[1], "w") as file:
    for name in calls:
        file.write("%s %d\n" % (name, calls[name]))
    file.write("site %d\n" % site)
END
cat >"$directory/program.php" <<'END'
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
foreach ($calls as $name => $count)
	file_put_contents($argv[1], "$name $count\n", FILE_APPEND);
END
cat >"$directory/program.rb" <<'END'
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
File.write(ARGV[0], $calls.map { |name, count| "#{name} #{count}\n" }.join)
END
cat >"$directory/Witness.java" <<'END'
public class Witness {
	static int fibs, outers, fails;

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
	static void tell(String name, int count) {
		System.out.print(name);
		System.out.println(count);
	}

	public static void main(String[] words) throws Exception {
		System.out.println("ready");
		System.in.read();
		outer();
		outer();
		tell("fib ", fibs);
		tell("outer ", outers);
		tell("fails ", fails);
	}
}
END

export USE_ZEND_DTRACE=1
known=$directory/known

# The number that a program knows.
knows() { awk -v name="$1" '$1 == name { print $2 }' "$known"; }

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
	method_time)
		# What outer takes includes fib and fails, which own their parts of it.
		awk -v a="$3" -v b="$4" -v fibs="$fibs" '
			$1 == a && $2 == "fib" && $5 == fibs { own = $3; found++ }
			$1 == b && $2 == "outer" && $5 == 2 { outer = $4; mine = $3; found++ }
			$1 == b && $2 == "fails" && $5 == 2 { fails = $4; found++ }
			END { exit found != 3 || outer < own + fails + mine || own < 1 || mine < 1 }' "$out" ||
			fail "$1 of $2"
		;;
	method_distribution)
		sum=$(awk -v title="$3.fib:" '/:$/ { here = $0 == title } here && NF > 2 && $2 ~ /^\|/ { sum += $NF }
			END { print sum + 0 }' "$out")
		[ "$sum" = "$fibs" ] || fail "$1 of $2: $sum"
		;;
	method_flow)
		# Each call of fib is in fib or in outer: as deep as its indentation.
		awk -v name="$3.fib" -v outer="$4.outer" -v fibs="$fibs" '
			$3 == "->" { depth = index($0, "->"); caller[depth] = $4; calls += $4 == name }
			$3 == "->" && $4 == name && caller[depth - 2] != name && caller[depth - 2] != outer { wrong++ }
			$3 == "<-" && caller[index($0, "<-")] != $4 { wrong++ }
			$3 == "<-" && $4 == name { returns++ }
			END { exit wrong || calls != fibs || returns != fibs }' "$out" || fail "$1 of $2"
		;;
	call_sites)
		awk -v class="$3" -v fibs="$fibs" -v line="$(knows site)" '
			NF > 5 && $(NF - 4) == class && $(NF - 3) == "fib" { calls += $(NF - 2) }
			NF > 5 && $(NF - 4) == class && $(NF - 3) == "fib" && $(NF - 5) == line { there += $(NF - 2) }
			END { exit calls != fibs || (line && there != fibs - 2) }' "$out" || fail "$1 of $2"
		;;
	slowest_calls)
		awk -v class="$4" '
			$1 == class && $2 == "fails" && $(NF - 1) == class ".outer" && $NF > 390000000 { fails++ }
			$1 == class && $2 == "outer" && $NF > 390000000 { outer++ }
			END { exit fails != 1 || !outer || NR > 22 }' "$out" || fail "$1 of $2"
		;;
	esac
}

calls="method_count method_time method_distribution method_flow call_sites slowest_calls"
each() { # runtime, class of fib, class of the others, command
	local script
	for script in $calls; do
		rm -f "$known" "$directory/traced"
		unset SLOW
		[ "$script" != slowest_calls ] || export SLOW=1
		run 0 trace "$script" -o "$directory/traced" -c "$4 $known"
		[ ! -s "$directory/err" ] || fail "$script of $1"
		compare "$script" "$1" "$2" "$3"
	done
	echo "$1: $calls"
}

python=/usr/bin/python3
# Python 3.12 and later have no probes of calls.
[[ $(readlink -f $python) != *python3.11 ]] ||
	each python program.py program.py "$python -S $directory/program.py"
php=$(readlink -f /usr/bin/php)
[ ! -e "$php" ] || each php '(none)' Witness "$php $directory/program.php"
[ ! -e /usr/bin/ruby ] || each ruby Witness Witness "/usr/bin/ruby --disable-gems $directory/program.rb"

# A JVM takes long to start; all scripts trace one.
home=/usr/lib/jvm/java-17-openjdk-amd64
if [ -e $home/bin/javac ]; then
	$home/bin/javac -d "$directory" "$directory/Witness.java" || fail "javac"
	start_waiting "$home/bin/java -Xint -XX:+UseSerialGC -XX:+ExtendedDTraceProbes -cp $directory Witness"
	known=$directory/waiting/out
	tracers=()
	for script in $calls; do
		"$VMTAP" trace "$script" -n 'tick-1ms /!told++/ { printf("attached\n"); }' -p "$waiting" \
			-o "$directory/$script" 2>"$directory/$script.err" </dev/null &
		tracers+=($!)
	done
	pids+=("${tracers[@]}")
	for script in $calls; do
		await "$script does not attach" grep -q attached "$directory/$script"
	done
	continue_waiting
	for tracer in "${tracers[@]}"; do
		wait "$tracer" || fail "a trace: status $?"
	done
	for script in $calls; do
		[ ! -s "$directory/$script.err" ] || fail "$script: $(cat "$directory/$script.err")"
		grep -v '^attached' "$directory/$script" >"$directory/traced"
		compare "$script" hotspot Witness Witness
	done
	echo "hotspot: $calls"
fi
exit 0
