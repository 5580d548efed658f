/* fault.c: see fault.h. */
#include "engine/fault.h"

#include <inttypes.h>

static const char *fault_text(enum d_fault code)
{
	switch (code) {
	case D_FAULT_BADADDR:
		return "invalid address";
	case D_FAULT_BADALIGN:
		return "invalid alignment";
	case D_FAULT_ILLOP:
		return "illegal operation";
	case D_FAULT_DIVZERO:
		return "divide-by-zero";
	case D_FAULT_NOSCRATCH:
		return "out of scratch space";
	case D_FAULT_KPRIV:
		return "invalid kernel access";
	case D_FAULT_UPRIV:
		return "invalid user access";
	case D_FAULT_TUPOFLOW:
		return "tuple stack overflow";
	case D_FAULT_BADSTACK:
		return "bad stack";
	case D_FAULT_BADSIZE:
		return "invalid size";
	case D_FAULT_BADINDEX:
		return "index out of bounds";
	case D_FAULT_LIBRARY:
		return "library-level fault";
	default:
		return "unknown fault";
	}
}

static void print_name(const char *name, const char *end, FILE *messages)
{
	if (name)
		fputs(name, messages);
	fputs(end, messages);
}

/* On one terminal, what came before is to be read before. */
static void begin(struct engine *engine, uint32_t clause, uint32_t index)
{
	const struct d_probe *probe = &engine->probes->probes[index];
	FILE *messages = engine->messages;

	fflush(engine->output);
	fprintf(messages, "dtrace: error in dt_clause_%u for probe ID %u (", clause, index + 1);
	print_name(probe->provider, ":", messages);
	print_name(probe->module, ":", messages);
	print_name(probe->function, ":", messages);
	print_name(probe->name, "): ", messages);
}

void fault_print(struct engine *engine, uint32_t clause, const struct fault *fault)
{
	FILE *messages = engine->messages;

	begin(engine, clause, engine->firing.probe);
	fputs(fault_text(fault->code), messages);
	switch (fault->code) {
	case D_FAULT_BADADDR:
		if (fault->value == UINT64_MAX)
			break;
		/* fall through */
	case D_FAULT_BADALIGN:
	case D_FAULT_BADSTACK:
	case D_FAULT_BADSIZE:
		fprintf(messages, " (0x%" PRIx64 ")", fault->value);
		break;
	case D_FAULT_BADINDEX:
		fprintf(messages, " (%" PRId64 ")", (int64_t)fault->value);
		break;
	default:
		break;
	}
	if (fault->offset >= 0)
		fprintf(messages, " at BPF pc %" PRId64, fault->offset);
	putc('\n', messages);
}

void fault_print_library(struct engine *engine, const struct recorded *recorded, const char *text)
{
	begin(engine, recorded->clause, recorded->probe);
	fprintf(engine->messages, "%s\n", text);
}
