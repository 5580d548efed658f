/* A single drop of a kind is reported in the singular. */
#pragma D option quiet
#pragma D option specsize=100

int zero;

BEGIN { a = speculation(); none = speculation(); }
BEGIN { speculate(a); printf("%s", "more than what a speculation of a hundred bytes can hold, by the length of a line"); }
BEGIN { trace(1 / zero); }
BEGIN { exit(0); }
ERROR { trace(1 / zero); }
