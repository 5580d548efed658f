typedef uint32_t EventThreadID;
#define Oid unsigned int
provider p {
	/*
	 * Fires.
	 * @a [text] what
	 * @eventlog 3 NAME (a)
	 */
	probe a__b(char *a, Oid, const struct s *);
	// x
	probe y() : (int);
};
#pragma D attributes Stable/Evolving/Common provider p args
