/* An option that setopt() cannot set is reported when its record is processed; the trace goes on. */
#pragma D option quiet

BEGIN { setopt("nosuch"); }
BEGIN { setopt("strsize", "10"); }
BEGIN { setopt("destructive"); }
BEGIN { setopt("aggsortpos", "many"); }
BEGIN { setopt("switchrate", "1fortnight"); }
BEGIN { printf("on\n"); exit(0); }
ERROR { printf("never: the consumer's errors are not the program's\n"); }
