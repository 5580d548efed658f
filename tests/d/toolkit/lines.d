#!/usr/sbin/dtrace -Zs
/* lines.d - how often each line is run, with the most frequent ones. */
#pragma D option quiet
inline string FILE_NAME = "main.rb";
dtrace:::BEGIN { printf("Tracing... Hit Ctrl-C to end.\n"); }
ruby*:::method-entry,ruby*:::cmethod-entry
/basename(copyinstr(arg2)) == FILE_NAME/
{
	@line[basename(copyinstr(arg2)),arg3]=count()
}
dtrace:::END
{
	printf(" %-24s %6s %8s\n", "FILE", "LINE", "COUNT");
	printa(" %-24s %6d %@8d\n", @line)
}
