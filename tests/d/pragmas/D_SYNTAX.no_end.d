/* @status 1 */
/* @options -xerrtags */
/* A control line ends in a newline, even the last. */
BEGIN { exit(0); }
#pragma D option quiet