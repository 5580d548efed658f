/* layout.c: see layout.h. */
#include "wire/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/describe.h"
#include "wire/wire.h"

/*
 * By number. fields are "name:KIND" each, by blanks: 1, 2, 4 and 8 are the bytes of a
 * number, z a text with a NUL, t a text and x bytes to the end.
 */
static const struct {
	uint16_t number;
	const char *name, *fields;
} types[] = {
	{0, "CREATE_THREAD", "thread:4"},
	{1, "RUN_THREAD", "thread:4"},
	{2, "STOP_THREAD", "thread:4 status:2 info:4"},
	{3, "THREAD_RUNNABLE", "thread:4"},
	{4, "MIGRATE_THREAD", "thread:4 new_cap:2"},
	{5, "RUN_SPARK", "thread:4"},
	{6, "STEAL_SPARK", "thread:4 victim_cap:2"},
	{7, "SHUTDOWN", ""},
	{8, "THREAD_WAKEUP", "thread:4 other_cap:2"},
	{9, "GC_START", ""},
	{10, "GC_END", ""},
	{11, "REQUEST_SEQ_GC", ""},
	{12, "REQUEST_PAR_GC", ""},
	{15, "CREATE_SPARK_THREAD", "thread:4"},
	{16, "LOG_MSG", "text:t"},
	{17, "STARTUP", "caps:2"},
	{18, "BLOCK_MARKER", "size:4 end:8 cap:2"},
	{19, "USER_MSG", "text:t"},
	{20, "GC_IDLE", ""},
	{21, "GC_WORK", ""},
	{22, "GC_DONE", ""},
	{25, "CAPSET_CREATE", "capset:4 type:2"},
	{26, "CAPSET_DELETE", "capset:4"},
	{27, "CAPSET_ASSIGN_CAP", "capset:4 cap:2"},
	{28, "CAPSET_REMOVE_CAP", "capset:4 cap:2"},
	{29, "RTS_IDENTIFIER", "capset:4 text:t"},
	{30, "PROGRAM_ARGS", "capset:4 arguments:t"},
	{31, "PROGRAM_ENV", "capset:4 environment:t"},
	{32, "OSPROCESS_PID", "capset:4 pid:4"},
	{33, "OSPROCESS_PPID", "capset:4 ppid:4"},
	{34, "SPARK_COUNTERS",
		"created:8 dud:8 overflowed:8 converted:8 gcd:8 fizzled:8 remaining:8"},
	{35, "SPARK_CREATE", ""},
	{36, "SPARK_DUD", ""},
	{37, "SPARK_OVERFLOW", ""},
	{38, "SPARK_RUN", ""},
	{39, "SPARK_STEAL", "victim_cap:2"},
	{40, "SPARK_FIZZLE", ""},
	{41, "SPARK_GC", ""},
	{42, "INTERN_STRING", "text:x"},
	{43, "WALL_CLOCK_TIME", "capset:4 seconds:8 nanoseconds:4"},
	{44, "THREAD_LABEL", "thread:4 label:t"},
	{45, "CAP_CREATE", "cap:2"},
	{46, "CAP_DELETE", "cap:2"},
	{47, "CAP_DISABLE", "cap:2"},
	{48, "CAP_ENABLE", "cap:2"},
	{49, "HEAP_ALLOCATED", "capset:4 bytes:8"},
	{50, "HEAP_SIZE", "capset:4 bytes:8"},
	{51, "HEAP_LIVE", "capset:4 bytes:8"},
	{52, "HEAP_INFO_GHC",
		"capset:4 generations:2 max_heap:8 allocation_area:8 mblock:8 block:8"},
	{53, "GC_STATS_GHC",
		"capset:4 generation:2 copied:8 slop:8 fragmentation:8 threads:4 "
		"max_copied:8 total_copied:8 balanced_copied:8"},
	{54, "GC_GLOBAL_SYNC", ""},
	{55, "TASK_CREATE", "task:8 cap:2 os_thread:8"},
	{56, "TASK_MIGRATE", "task:8 cap:2 new_cap:2"},
	{57, "TASK_DELETE", "task:8"},
	{58, "USER_MARKER", "text:t"},
	{59, "HACK_BUG_T9003", ""},
	{90, "MEM_RETURN", "capset:4 current:4 needed:4 returned:4"},
	{91, "BLOCKS_SIZE", "capset:4 bytes:8"},
	{160, "HEAP_PROF_BEGIN",
		"profile:1 period:8 breakdown:4 module:z closure:z type:z "
		"cost_centre:z stack:z retainer:z biography:z"},
	{161, "HEAP_PROF_COST_CENTRE", "id:4 label:z module:z place:z flags:1"},
	{162, "HEAP_PROF_SAMPLE_BEGIN", "era:8"},
	{163, "HEAP_PROF_SAMPLE_COST_CENTRE", "profile:1 bytes:8 depth:1 stack:x"},
	{164, "HEAP_PROF_SAMPLE_STRING", "profile:1 bytes:8 label:z"},
	{165, "HEAP_PROF_SAMPLE_END", "era:8"},
	{166, "HEAP_BIO_PROF_SAMPLE_BEGIN", "era:8 time:8"},
	{167, "PROF_SAMPLE_COST_CENTRE", "cap:4 tick:8 depth:1 stack:x"},
	{168, "PROF_BEGIN", "period:8"},
	{169, "IPE", "address:8 table:z closure:z type:z label:z module:z place:z"},
	{181, "USER_BINARY_MSG", "bytes:x"},
	{200, "CONC_MARK_BEGIN", ""},
	{201, "CONC_MARK_END", "marked:4"},
	{202, "CONC_SYNC_BEGIN", ""},
	{203, "CONC_SYNC_END", ""},
	{204, "CONC_SWEEP_BEGIN", ""},
	{205, "CONC_SWEEP_END", ""},
	{206, "CONC_UPD_REM_SET_FLUSH", "cap:2"},
	{207, "NONMOVING_HEAP_CENSUS", "block_size_log:2 active:4 filled:4 live:4"},
	{208, "NONMOVING_PRUNED_SEGMENTS", "pruned:4 free:4"},
	{210, "TICKY_COUNTER_DEF", "id:8 arity:2 kinds:z name:z closure:z json:z"},
	{211, "TICKY_COUNTER_SAMPLE", "id:8 entries:8 allocated:8 allocations:8"},
	{212, "TICKY_BEGIN_SAMPLE", ""},
	{WIRE_CONTEXT, "CONTEXT", "os_thread:8 cpu:4"},
	{WIRE_NAME, "NAME", "id:4 text:t"},
	{WIRE_LOSS, "LOSS", "type:2 count:8 since:8"},
	{WIRE_WATERMARK, "WATERMARK", "until:8"},
	{WIRE_CLOCK, "CLOCK", "monotonic:8 realtime:8"},
	{WIRE_SUBSCRIBED, "SUBSCRIBED", "tag:4 flags:1"},
	{WIRE_CPU_TIME, "CPU_TIME", "cpu_time:8"},
	{WIRE_PROVIDERS, "PROVIDERS", "names:t"},
};

static void make_fields(struct layout *layout, const char *text)
{
	while (*text && layout->field_count < LAYOUT_FIELDS_MAX) {
		struct layout_field *field = &layout->fields[layout->field_count++];
		size_t length = strcspn(text, ":");
		snprintf(field->name, sizeof(field->name), "%.*s", (int)length, text);
		text += length + 1;
		switch (*text) {
		case 'z':
			field->kind = LAYOUT_STRING;
			break;
		case 't':
			field->kind = LAYOUT_TEXT;
			break;
		case 'x':
			field->kind = LAYOUT_BYTES;
			break;
		default:
			field->kind = LAYOUT_NUMBER;
			field->size = (uint8_t)(*text - '0');
			break;
		}
		text += strspn(text + 1, " ") + 1;
	}
}

static void make_probe(struct layout *layout, const struct description *description)
{
	layout->is_probe = true;
	memcpy(layout->name, description->name, sizeof(layout->name));
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < description->argument_count; i++) {
			const struct describe_argument *argument = &description->arguments[i];
			struct layout_field *field = &layout->fields[layout->field_count];
			/* the text comes last, whatever its place among the arguments */
			if ((argument->kind == DESCRIBE_TEXT) != (pass == 1) ||
				argument->kind == DESCRIBE_CAP)
				continue;
			snprintf(field->name, sizeof(field->name), "%s",
				argument->name[0] ? argument->name : "?");
			field->kind = argument->kind == DESCRIBE_NAME ? LAYOUT_NAME
				: argument->kind == DESCRIBE_TEXT     ? LAYOUT_TEXT
								      : LAYOUT_NUMBER;
			field->size = argument->size;
			field->is_signed = argument->is_signed;
			layout->field_count++;
		}
	}
}

void layout_make(struct layout *layout, uint16_t type, const char *text)
{
	struct description description;

	*layout = (struct layout){.name = ""};
	if (describe_parse(text, strlen(text), &description, NULL) > 0) {
		make_probe(layout, &description);
		return;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].number != type)
			continue;
		memcpy(layout->name, types[i].name, strlen(types[i].name) + 1);
		make_fields(layout, types[i].fields);
		return;
	}
	snprintf(layout->name, sizeof(layout->name), "type-%u", type);
	make_fields(layout, "payload:x");
}

bool layout_field(const struct layout *layout, unsigned int field, const unsigned char *payload,
	size_t length, const unsigned char **at, size_t *size)
{
	size_t offset = 0, next = 0;

	for (unsigned int i = 0; i <= field; i++) {
		const struct layout_field *one = &layout->fields[i];
		const unsigned char *end;
		offset = next;
		switch (one->kind) {
		case LAYOUT_NUMBER:
		case LAYOUT_NAME:
			*size = one->size;
			next = offset + one->size;
			break;
		case LAYOUT_STRING:
			end = offset < length ? memchr(payload + offset, 0, length - offset) : NULL;
			if (!end)
				return false;
			*size = (size_t)(end - payload) - offset;
			next = offset + *size + 1;
			break;
		default:
			if (offset > length)
				return false;
			*size = length - offset;
			next = length;
			break;
		}
		if (next > length)
			return false;
	}
	*at = payload + offset;
	return true;
}

uint64_t layout_number(const struct layout_field *field, const unsigned char *at)
{
	switch (field->size) {
	case 1:
		return field->is_signed ? (uint64_t)(int64_t)(int8_t)*at : *at;
	case 2:
		return field->is_signed ? (uint64_t)(int64_t)(int16_t)bytes_u16(at) : bytes_u16(at);
	case 4:
		return field->is_signed ? (uint64_t)(int64_t)(int32_t)bytes_u32(at) : bytes_u32(at);
	default:
		return bytes_u64(at);
	}
}

unsigned int layout_find(const struct layout *layout, const char *name)
{
	unsigned int i = 0;

	while (i < layout->field_count && strcmp(layout->fields[i].name, name) != 0)
		i++;
	return i;
}
