/* Comments may be anywhere between tokens,
   even /these/ and "these" */
#!/usr/sbin/dtrace -s
#pragma D option quiet
#ident "ignored"

BEGIN /* here */ { /* there */
	printf(/* in here */ "%d\n", 1 /* + 1 */ + 2);
	exit(0) /* no semicolon */
}
