/* messages.c: see messages.h. */
#include "engine/output/messages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/display.h"

/* How a message shows the value of a fault. */
enum value_form { VALUE_HIDDEN, VALUE_ADDRESS, VALUE_INDEX };

static const struct {
	const char *text;
	enum value_form form;
} faults[] = {
	[D_FAULT_BADADDR] = {"invalid address", VALUE_ADDRESS},
	[D_FAULT_ILLOP] = {"illegal operation", VALUE_HIDDEN},
	[D_FAULT_DIVZERO] = {"divide-by-zero", VALUE_HIDDEN},
	[D_FAULT_NOSCRATCH] = {"out of scratch space", VALUE_HIDDEN},
	[D_FAULT_BADSIZE] = {"invalid size", VALUE_ADDRESS},
	[D_FAULT_BADINDEX] = {"index out of bounds", VALUE_INDEX},
};

static void print_name(const char *name, const char *end, FILE *messages)
{
	char *clean = name ? display_clean(name, strlen(name)) : NULL;

	if (clean)
		fputs(clean, messages);
	fputs(end, messages);
	free(clean);
}

void messages_print_reason(const struct writer_fault *reported, FILE *messages)
{
	const struct fault *fault = reported->fault;
	enum value_form form;

	if (!fault) {
		fputs(reported->text, messages);
		return;
	}
	form = faults[fault->code].form;
	fputs(faults[fault->code].text, messages);
	/* DTrace does not show address -1. */
	if (form == VALUE_ADDRESS && (fault->code != D_FAULT_BADADDR || fault->value != UINT64_MAX))
		fprintf(messages, " (0x%" PRIx64 ")", fault->value);
	else if (form == VALUE_INDEX)
		fprintf(messages, " (%" PRId64 ")", (int64_t)fault->value);
	if (fault->offset >= 0)
		fprintf(messages, " at BPF pc %" PRId64, fault->offset);
}

void messages_print_fault(const struct writer_fault *fault, FILE *messages)
{
	fprintf(messages, "dtrace: error in dt_clause_%" PRIu32 " for probe ID %" PRIu32 " (",
		fault->clause, fault->probe_id);
	print_name(fault->probe->provider, ":", messages);
	print_name(fault->probe->module, ":", messages);
	print_name(fault->probe->function, ":", messages);
	print_name(fault->probe->name, "): ", messages);
	messages_print_reason(fault, messages);
	putc('\n', messages);
	/* DTrace's message about an option has its own newline. */
	if (!fault->fault && fault->action == D_ACTION_SETOPT)
		putc('\n', messages);
}

/* "N THINGs REST". */
struct drop_words {
	const char *tag, *thing, *rest;
};

static const struct drop_words words[DROP_KINDS] = {
	[DROP_PRINCIPAL] = {"PRINCIPAL", "drop", ""},
	[DROP_AGGREGATION] = {"AGGREGATION", "aggregation drop", ""},
	[DROP_DYNAMIC] = {"DYNAMIC", "dynamic variable drop", ""},
	[DROP_SPECULATION] = {"SPEC", "speculative drop", ""},
	[DROP_SPECULATION_BUSY] = {"SPECBUSY", "failed speculation",
		" (available buffer(s) still busy)"},
	[DROP_SPECULATION_UNAVAILABLE] = {"SPECUNAVAIL", "failed speculation",
		" (no speculative buffer available)"},
	[DROP_STACK] = {"STKSTROVERFLOW", "jstack()/ustack() string table overflow", ""},
	[DROP_ERROR] = {"DBLERROR", "error", " in ERROR probe enabling"},
};

const char *messages_drop_tag(enum drop_kind kind)
{
	return words[kind].tag;
}

void messages_print_count(const struct writer_drop *drop, FILE *messages)
{
	fprintf(messages, "%" PRIu64 " %s%s%s", drop->count, words[drop->kind].thing,
		drop->count == 1 ? "" : "s", words[drop->kind].rest);
	if (drop_has_cpu(drop->kind))
		fprintf(messages, " on CPU %u", drop->cpu);
}

void messages_print_drop(const struct writer_drop *drop, bool tag, FILE *messages)
{
	fputs("dtrace: ", messages);
	if (tag)
		fprintf(messages, "[DTRACEDROP_%s] ", words[drop->kind].tag);
	messages_print_count(drop, messages);
	putc('\n', messages);
}
