/* unwind_end.h: how a stack ends, for people, such as "the outermost frame". */
#ifndef VMTAP_TESTS_TOOLS_UNWIND_END_H
#define VMTAP_TESTS_TOOLS_UNWIND_END_H

#include "usdt/unwind/unwind.h"

static inline const char *unwind_end_text(enum usdt_unwind_end end)
{
	switch (end) {
	case USDT_UNWIND_OUTERMOST:
		return "the outermost frame";
	case USDT_UNWIND_NO_INFORMATION:
		return "no unwind information for this frame";
	case USDT_UNWIND_STACK_CUT:
		return "the copied part of the stack ends here";
	case USDT_UNWIND_BAD_DATA:
		return "the stack does not agree with the unwind information";
	case USDT_UNWIND_FULL:
		return "the limit of frames";
	}
	return "unknown";
}

#endif
