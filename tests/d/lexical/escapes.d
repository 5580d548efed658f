/*
 * Every escape of strings; \x takes any number of digits and keeps the low byte; a NUL ends
 * the string; characters of several bytes stay as they are.
 * @options -q
 */
BEGIN
{
	printf("%S\n", "\a\b\f\n\r\t\v\\\"");
	printf("%S %S %S\n", "\1012", "\18", "\7");
	printf("%s %s\n", "\x41g", "\x1234541");
	printf("%s %s %s\n", "\'", "\q\?", "\%");
	printf("%d %d %d\n", strlen("ab\0cd"), sizeof("ab"), sizeof("ab\ncd"));
	printf("%s\n", "æ/日");
	exit(0);
}
