/* what_works.c: see what_works.h. */
#include "cli/what_works.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "targets/target_kernel_facts.h"
#include "targets/target_spec.h"
#include "usdt/process/call_probes.h"
#include "usdt/process/process_images.h"

enum { TITLE_MAX = 500 };

/* Returns true if a file that the process has mapped has USDT probes. */
static bool has_probes(uint32_t pid)
{
	struct usdt_process *process;
	struct error ignored;
	bool has = false;

	if (usdt_process_open((pid_t)pid, &process, &ignored))
		return false;
	for (size_t i = 0; i < process->object_count && !has; i++)
		has = process->objects[i].image && process->objects[i].image->site_count;
	usdt_process_free(process);
	return has;
}

/* Writes the words of a command as a shell takes them; what has no room is left out. */
static void quote_words(char *const *words, char text[TITLE_MAX])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";
	size_t used = 0;

	for (*text = '\0'; *words && used < TITLE_MAX; words++) {
		const bool is_plain = **words && !(*words)[strspn(*words, plain)];
		const char *mark = is_plain ? "" : strchr(*words, '\'') ? "\"" : "'";

		used += (size_t)snprintf(text + used, TITLE_MAX - used, "%s%s%s%s", used ? " " : "",
			mark, *words, mark);
	}
}

void what_works_tell(const char *verb, const struct target_spec *spec)
{
	const char *sudo = geteuid() ? "sudo " : "";

	for (size_t i = 0; i < spec->count; i++) {
		const struct target_item *item = &spec->items[i];
		const char *provider, *reason;
		char title[TITLE_MAX];
		bool is_seen;

		if (item->kind == TARGET_COMMAND) {
			quote_words(item->command.words, title);
			cli_message("'%svmtap flame -o FILE -- %s' shows where its time goes, by "
				    "samples",
				sudo, title);
			return;
		}
		if (item->kind != TARGET_PID)
			continue;
		provider = call_probes_of_process(item->pid);
		/* a VM of its own serves a stream, or an earlier message says why it does not now
		 */
		if (provider && !strcmp(provider, "vm"))
			continue;
		if (!provider) {
			cli_message("'%svmtap flame -p %" PRIu32
				    " -o FILE' shows where its time goes, by samples",
				sudo, item->pid);
			if (has_probes(item->pid))
				cli_message("'vmtap list %" PRIu32 "' shows the probes that it has",
					item->pid);
			return;
		}
		reason = target_kernel_silence(
			item->pid, provider, call_probes_entry(provider), &is_seen);
		if (is_seen) {
			cli_message("its probe %s:::%s shows its calls, but %s; 'vmtap flame -p "
				    "%" PRIu32 " -o FILE' shows where its time goes, by samples",
				provider, call_probes_entry(provider), reason, item->pid);
			return;
		}
		if (!strcmp(verb, "serve"))
			cli_message("'vmtap serve method_count -p %" PRIu32
				    "' works on its %s probes",
				item->pid, provider);
		else
			cli_message("'vmtap trace method_time -p %" PRIu32
				    "' works on its %s probes, and so does 'vmtap flame --exact "
				    "-p %" PRIu32 " -o FILE'",
				item->pid, provider, item->pid);
		return;
	}
}
