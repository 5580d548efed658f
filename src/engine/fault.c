/* fault.c: see fault.h. */
#include "engine/fault.h"

#include <inttypes.h>

#include "engine/state.h"

/* How a message shows the value of a fault. */
enum value_form { VALUE_HIDDEN, VALUE_ADDRESS, VALUE_INDEX };

static const struct {
	const char *text;
	enum value_form form;
} known[] = {
	[D_FAULT_BADADDR] = {"invalid address", VALUE_ADDRESS},
	[D_FAULT_ILLOP] = {"illegal operation", VALUE_HIDDEN},
	[D_FAULT_DIVZERO] = {"divide-by-zero", VALUE_HIDDEN},
	[D_FAULT_NOSCRATCH] = {"out of scratch space", VALUE_HIDDEN},
	[D_FAULT_BADSIZE] = {"invalid size", VALUE_ADDRESS},
	[D_FAULT_BADINDEX] = {"index out of bounds", VALUE_INDEX},
};

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
	enum value_form form = known[fault->code].form;
	FILE *messages = engine->messages;

	begin(engine, clause, engine->firing.probe);
	fputs(known[fault->code].text, messages);
	/* DTrace does not show address -1. */
	if (form == VALUE_ADDRESS && (fault->code != D_FAULT_BADADDR || fault->value != UINT64_MAX))
		fprintf(messages, " (0x%" PRIx64 ")", fault->value);
	else if (form == VALUE_INDEX)
		fprintf(messages, " (%" PRId64 ")", (int64_t)fault->value);
	if (fault->offset >= 0)
		fprintf(messages, " at BPF pc %" PRId64, fault->offset);
	putc('\n', messages);
}

void fault_print_library(struct engine *engine, const struct recorded *recorded, const char *text)
{
	begin(engine, recorded->clause, recorded->probe);
	fprintf(engine->messages, "%s\n", text);
}
