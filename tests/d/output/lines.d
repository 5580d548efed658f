/* Which clauses print a line of their own. */
BEGIN { x = 1; }
BEGIN { @a = count(); }
BEGIN { }
BEGIN { ; }
BEGIN { printf("a\nb"); }
BEGIN { trace(x); @a = count(); }
BEGIN /0/ { trace(1); }
BEGIN { exit(0); }
END { trace("end"); }
