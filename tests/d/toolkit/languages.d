#!/usr/sbin/dtrace -Zs
/*
 * languages.d - calls of any language that is present. The order of the arguments differs:
 *
 *	perl, php, python	function, file, line and the like
 *	ruby			class, method, file, line
 *
 * @options -Z
 */
#pragma D option quiet

dtrace:::BEGIN { trace("Tracing... Hit Ctrl-C to end.\n") }

perl*:::sub-entry,
php*:::function-entry
/arg0/
{
	@calls[probeprov, copyinstr(arg0), basename(copyinstr(arg1))] = count();
}

python*:::function-entry
{
	@calls[probeprov, copyinstr(arg1), basename(copyinstr(arg0))] = count();
}

javascript*:::function-entry
{
	@calls[probeprov, copyinstr(arg2), basename(copyinstr(arg0))] = count();
}

tcl*:::proc-entry,
sh*:::builtin-entry
{
	@calls[probeprov, copyinstr(arg0), "-"] = count();
}

ruby*:::method-entry
{
	@calls[substr(probeprov, 0, strlen("ruby")), copyinstr(arg1), basename(copyinstr(arg2))] = count();
}

/* a gap: probes of a provider that no process has */
node*:::gc-start { self->ts = timestamp; }
node*:::gc-done /self->ts/ { @gc = quantize(timestamp - self->ts); self->ts = 0; }

dtrace:::END
{
	printf("\n%-12s %-20s %-20s %8s\n", "LANGUAGE", "NAME", "FILE", "CALLS");
	printa("%-12s %-20s %-20s %@8d\n", @calls);
}
