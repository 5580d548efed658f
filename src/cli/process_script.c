/*
 * process_script.c: see process_script.h. A processor is sampled whatever runs on it; the predicate
 * keeps what belongs to the targets, and the kernel evaluates it.
 */
#include "cli/process_script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "targets/target_spec.h"

enum { FRAMES = 127 };

/* A predicate for the targets; a command, which has no pid yet, is $target if it is the first. */
static void write_predicate(FILE *file, const struct target_spec *spec)
{
	if (!spec->count)
		fputc('1', file);
	for (size_t i = 0; i < spec->count; i++) {
		const struct target_item *item = &spec->items[i];

		fprintf(file, "%s%s", i ? " || " : "", spec->follows ? "progenyof(" : "pid == ");
		if (item->kind == TARGET_PID)
			fprintf(file, "%" PRIu32, item->pid);
		else
			fprintf(file, "$target");
		fprintf(file, "%s", spec->follows ? ")" : "");
	}
}

char *process_script(const struct target_spec *spec, enum process_script_kind kind)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file,
		"#pragma D option quiet\n"
		"#pragma D option aggsize=64m\n"
		"#pragma D option stackframes=%d\n"
		"profile-%d /",
		FRAMES, PROCESS_SCRIPT_HZ);
	write_predicate(file, spec);
	if (kind == PROCESS_SCRIPT_EVENTS)
		fprintf(file,
			"/\n{\n\tprintf(\"%%d%%d%%d%%d%%d%%s%%s%%k%%k\", timestamp, pid, ppid, "
			"tid, "
			"cpu, "
			"execname, curpsinfo->pr_psargs, stack(), ustack(%d));\n}\n",
			FRAMES);
	else
		fprintf(file, "/\n{\n\t@time[pid, %sstack(), ustack(%d)] = sum(%d);\n}\n",
			kind == PROCESS_SCRIPT_NAMED ? "execname, " : "", FRAMES,
			PROCESS_SCRIPT_PERIOD);
	if (kind == PROCESS_SCRIPT_THREADS) {
		fprintf(file, "profile-%d /(", PROCESS_SCRIPT_HZ);
		write_predicate(file, spec);
		fprintf(file,
			") && !exists[pid, tid]/\n"
			"{\n\texists[pid, tid] = 1;\n\t@threads[pid, execname] = sum(1);\n}\n");
	}
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

void process_script_tell_mixed(struct target_spec *spec)
{
	spec->via = TARGET_VIA_KERNEL;
	cli_message("some of these processes serve an event stream and some do not: all are "
		    "sampled by the kernel, as with --via=kernel");
}
