/*
 * A clause may use an inline that the text defines behind it; clauses are checked when all
 * of it was read.
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
