/* exit() that a fault skips; one that comes before it is dropped with the clause's record.
 * @status 5
 */
#pragma D option quiet

int zero;

BEGIN { exit(1); x = 1 / zero; }
BEGIN { printf("still tracing\n"); exit(5); }
BEGIN { printf("never\n"); }
