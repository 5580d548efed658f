#!/usr/sbin/dtrace -Zs
/*
 * who.d - who runs which file.
 */
#pragma D option quiet

dtrace:::BEGIN
{
        printf("Tracing... Hit Ctrl-C to end.\n");
}

ruby*:::method-entry,
ruby*:::cmethod-entry,
ruby*:::object-create
{
        @lines[pid, execname, probename == "object-create" ? copyinstr(arg1) : copyinstr(arg2)] = count();
}

dtrace:::END
{
        printf("   %6s %-12s %10s %s\n", "PID", "PROGRAM", "EXPRS", "FILE");
        printa("   %6d %-12s %@10d %s\n", @lines);
}
