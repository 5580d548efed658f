/* what_works.c: see what_works.h. */
#include "cli/what_works.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "cli/cli.h"
#include "targets/target_spec.h"
#include "usdt/process/call_probes.h"

void what_works_tell(const struct target_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct target_item *item = &spec->items[i];
		const char *provider =
			item->kind == TARGET_PID ? call_probes_of_process(item->pid) : NULL;

		/* a VM of its own serves a stream, or an earlier message says why it does not now
		 */
		if (!provider || !strcmp(provider, "vm"))
			continue;
		cli_message("'vmtap trace method_time -p %" PRIu32
			    "' works on its %s probes, and so does 'vmtap flame --exact -p %" PRIu32
			    " -o FILE'",
			item->pid, provider, item->pid);
		return;
	}
}
