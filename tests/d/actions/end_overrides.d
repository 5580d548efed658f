/* END's exit() sets the status; it does not prevent END's other clauses from running.
 * @status 9
 */
#pragma D option quiet
BEGIN { exit(3); }
END { exit(9); printf("rest\n"); }
END { printf("other\n"); }
