/* A fault skips a later exit(); an earlier exit() is dropped with the clause's record.
 * @status 5
 */
#pragma D option quiet

int zero;

BEGIN { exit(1); x = 1 / zero; }
BEGIN { printf("still tracing\n"); exit(5); }
BEGIN { printf("never\n"); }
