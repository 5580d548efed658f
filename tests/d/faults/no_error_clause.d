/* Faults of every kind, as messages. */
#pragma D option quiet

int zero;
string none[int];

BEGIN { trace(1 / zero); }
BEGIN { trace(1 % zero); }
BEGIN { zero /= zero; }
BEGIN { trace(none[1]); }
BEGIN { printf("%s", none[1]); }
BEGIN { @[none[1]] = count(); }
BEGIN { x[none[1]] = 1; }
BEGIN { trace(copyinstr(0)); }
BEGIN { trace(stringof(0x1234)); }
BEGIN { trace(*(int *)8); }
BEGIN { @plain = count(); normalize(@plain, zero); }
BEGIN { exit(0); }
