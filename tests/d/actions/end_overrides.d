/* END's exit() is what counts; it does not keep END's other clauses from running.
 * @status 9
 */
#pragma D option quiet
BEGIN { exit(3); }
END { exit(9); printf("rest\n"); }
END { printf("other\n"); }
