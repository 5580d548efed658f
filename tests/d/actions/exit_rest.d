/* The rest of the clause runs after exit(); later clauses do not, except END's. The status is
 * truncated to 8 bits; the last one in a clause counts.
 * @status 4
 */
BEGIN { exit(7); exit(260); trace("rest"); x = 1; }
BEGIN { trace("never"); }
tick-1000 { trace("never"); }
END { trace(x); }
END { trace("both"); }
