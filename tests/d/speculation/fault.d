/* A fault drops what its clause speculated, not what it committed. */
#pragma D option quiet

int zero;

BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("kept\n"); }
BEGIN { speculate(a); printf("faulted\n"); trace(1 / zero); }
BEGIN { commit(a); x = 1 / zero; }
BEGIN { printf("end\n"); exit(0); }
