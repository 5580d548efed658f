/* A NULL string is a fault wherever a subroutine takes one. */
#pragma D option quiet

string s[int];

BEGIN { trace(strlen(s[1])); }
BEGIN { trace(strjoin("a", s[1])); }
BEGIN { trace(strchr(s[1], 'a')); }
BEGIN { trace(index("a", s[1])); }
BEGIN { trace(substr(s[1], 1)); }
BEGIN { trace(toupper(s[1])); }
BEGIN { trace(basename(s[1])); }
BEGIN { trace(strtok(s[1], "a")); }
BEGIN { trace(strtok("a", s[1])); }
BEGIN { trace(strtoll(s[1])); }
BEGIN { exit(0); }

ERROR
{
	printf("fault %d at 0x%x\n", arg4, arg5);
}
