#!/bin/bash
# Debian's ruby: the same probes that libvmtap offers to other VMs, against the program's own
# TracePoint and counters.
set -u
. tests/witness/real
ruby=/usr/bin/ruby
need_program $ruby
need_kernel
library=$(ldd "$(readlink -f $ruby)" | awk '/libruby/ { print $3 }')
"$VMTAP" list "${library:-$ruby}" 2>/dev/null | grep -q cmethod-entry || { echo "$ruby has no probes" && exit 77; }

cat >"$directory/program.rb" <<'END'
require 'English'

$made = 0

class Widget
  def initialize(size)
    @size = size
    $made += 1
  end

  def text
    @size.to_s.upcase
  end
end

def own
  Widget.new(3).text
end

def work
  own
  25.times { |i| Widget.new(i).text.reverse }
  ["ab", "c"].map(&:length)
  7.times do
    begin
      raise ArgumentError, "no"
    rescue ArgumentError => error
      error.message.size
    end
  end
  begin
    Integer("x")
  rescue ArgumentError
  end
end

if ARGV[1]
  puts "ready"
  STDOUT.flush
  STDIN.gets
end
work # once without a TracePoint, so that caches are filled
lines = []
TracePoint.new(:c_call, :raise) do |point|
  next unless point.path == __FILE__
  if point.event == :c_call
    lines << "cmethod-entry #{point.defined_class} #{point.method_id} #{point.lineno}"
  else
    lines << "raise #{point.raised_exception.class} #{point.lineno}"
  end
end.enable { work }
Math.cbrt(1) # in the trace, the beginning of what is compared
work
Math.erf(1)
GC.start(full_mark: true, immediate_sweep: true, immediate_mark: true)
GC.disable
before = GC.count
Math.cbrt(1)
3.times { GC.start(full_mark: true, immediate_sweep: true, immediate_mark: true) }
Math.erf(1)
after = GC.count
File.open(ARGV[0], "w") do |file|
  file.puts lines
  file.puts "objects #{$made / 3}"
  file.puts "gc #{after - before}"
end
END
cat >"$directory/program.d" <<'END'
BEGIN { part = 0; on = 0; gc = 0; objects = 0; }
ruby$target:::cmethod-entry /copyinstr(arg1) == "cbrt"/ { on = ++part; }
ruby$target:::cmethod-entry /copyinstr(arg1) == "erf"/ { on = 0; }
ruby$target:::cmethod-entry
/on == 1 && basename(copyinstr(arg2)) == "program.rb"/
{ printf("%s %s %s %d\n", probename, copyinstr(arg0), copyinstr(arg1), arg3); }
ruby$target:::raise
/on == 1 && basename(copyinstr(arg1)) == "program.rb"/
{ printf("raise %s %d\n", copyinstr(arg0), arg2); }
ruby$target:::object-create
/on == 1 && copyinstr(arg0) == "Widget" && basename(copyinstr(arg1)) == "program.rb"/
{ objects++; }
ruby$target:::gc-mark-begin /on == 2/ { self->marking = timestamp; }
ruby$target:::gc-mark-end /on == 2 && self->marking && timestamp > self->marking/ { gc++; }
END { printf("objects %d\ngc %d\n", objects, gc); }
END
run 0 trace -q -c "$ruby --disable-gems $directory/program.rb $directory/known" -s "$directory/program.d" -o "$directory/traced"
# The TracePoint itself makes an exception's methods run, and has another name for its class.
sed -E '/^cmethod-entry .*(cbrt|erf| exception| backtrace)/d; /^$/d' "$directory/known" >"$directory/expected"
sed -E '/^cmethod-entry .*(cbrt|erf| exception| backtrace)/d; /^$/d' "$directory/traced" >"$directory/got"
same "$directory/expected" "$directory/got" "methods in C, exceptions, objects and collections"
[ "$(grep -c '^cmethod-entry' "$directory/got")" -gt 100 ] || fail "too few methods in C"
has got '^raise ArgumentError '
has got '^objects 26$'
has got '^gc 3$'

if command -v bpftrace >/dev/null; then
	export BPFTRACE_STRLEN=64
	by_bpftrace_waiting 'usdt:'"${library:-$ruby}"':ruby:cmethod__entry { printf("cmethod-entry %s %s %s %d\n",
			str(arg0), str(arg1), str(arg2), arg3); }
		usdt:'"${library:-$ruby}"':ruby:raise { printf("raise %s %s %d\n", str(arg0), str(arg1), arg2); }
		usdt:'"${library:-$ruby}"':ruby:object__create { printf("object-create %s %s %d\n",
			str(arg0), str(arg1), arg2); }' \
		"$ruby --disable-gems $directory/program.rb $directory/known wait" "$directory/by_bpftrace"
	rm "$directory/traced"
	start_waiting "$ruby --disable-gems $directory/program.rb $directory/known wait"
	"$VMTAP" trace -q -p "$waiting" -o "$directory/traced" 2>"$directory/err" -n '
		BEGIN { told = 0; }
		tick-1ms /!told/ { told = 1; printf("attached\n"); }
		ruby$target:::cmethod-entry { printf("%s %s %s %s %d\n", probename, copyinstr(arg0), copyinstr(arg1),
			copyinstr(arg2), arg3); }
		ruby$target:::raise, ruby$target:::object-create { printf("%s %s %s %d\n", probename,
			copyinstr(arg0), copyinstr(arg1), arg2); }' &
	tracer=$!
	await "vmtap does not attach" grep -q attached "$directory/traced"
	continue_waiting
	wait "$tracer" || fail "the trace"
	sed '/^$/d; /^attached/d' "$directory/traced" >"$directory/got"
	same "$directory/by_bpftrace" "$directory/got" "what bpftrace reads"
fi
exit 0
