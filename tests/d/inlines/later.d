/*
 * A clause may use an inline that is defined after it; clauses are checked when the whole
 * text has been read.
 * @options -q
 */
BEGIN
{
	printf("%d %s\n", FORTY + PID - PID, NAME);
	exit(0);
}

inline int FORTY = 40;
inline pid_t PID = pid;
inline string NAME = "later";
