/* descriptor_limit.c: see descriptor_limit.h. */
#include "base/descriptor_limit.h"

enum {
	RESERVE = 16,  /* descriptors */
	HARD_MIN = 128 /* less leaves no reserve */
};

/* Sets the soft limit to that many less than the hard one. */
static void set_limit(struct descriptor_limit *limit, rlim_t reserve)
{
	struct rlimit raised;

	limit->is_raised = false;
	if (getrlimit(RLIMIT_NOFILE, &limit->original))
		return;
	raised = limit->original;
	raised.rlim_cur = raised.rlim_max < HARD_MIN ? raised.rlim_max : raised.rlim_max - reserve;
	limit->is_raised =
		raised.rlim_cur != limit->original.rlim_cur && !setrlimit(RLIMIT_NOFILE, &raised);
}

void descriptor_limit_raise(struct descriptor_limit *limit)
{
	set_limit(limit, RESERVE);
}

void descriptor_limit_exceed(struct descriptor_limit *limit)
{
	set_limit(limit, 0);
}

void descriptor_limit_keep(const struct descriptor_limit *limit)
{
	descriptor_limit_restore(limit);
}

void descriptor_limit_restore(const struct descriptor_limit *limit)
{
	/* the hard limit has stayed as it was, so the soft one can be set again */
	if (limit->is_raised)
		setrlimit(RLIMIT_NOFILE, &limit->original);
}
