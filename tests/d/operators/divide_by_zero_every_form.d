/*
 * A divisor that turns out to be 0 faults, for / % /= %=, signed or not; what follows in the
 * clause is left out.
 * @options -q
 */
int zero, x;
uint64_t none, u;

BEGIN { x = 1 / zero; printf("not reached\n"); }
BEGIN { x = 1 % zero; printf("not reached\n"); }
BEGIN { x /= zero; printf("not reached\n"); }
BEGIN { x %= zero; printf("not reached\n"); }
BEGIN { u = 1 / none; printf("not reached\n"); }
BEGIN { u = 1 % none; printf("not reached\n"); }
BEGIN / 1 / zero / { printf("not reached\n"); }
BEGIN { x = zero ? 1 / zero : 3; printf("%d\n", x); exit(0); }
