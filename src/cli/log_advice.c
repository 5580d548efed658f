/* log_advice.c: see log_advice.h. */
#include "cli/log_advice.h"

#include <stddef.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/feed.h"
#include "wire/log_bytes.h"
#include "wire/records.h"
#include "wire/wire.h"

enum {
	ROLE_CALL,
	ROLE_SAMPLE,
	ROLES,
	EVENTS_MAX = 4000000 /* after which what has not come is taken for missing */
};

static const struct feed_probe probes[] = {
	{"method-entry", ROLE_CALL},
	{"native-entry", ROLE_CALL},
	{"sample", ROLE_SAMPLE},
};

bool log_advice_is_log(const char *name)
{
	struct log_bytes *bytes;
	unsigned char begin[4] = {0};
	struct error ignored;
	struct stat status;
	bool is;

	if (stat(name, &status) || !S_ISREG(status.st_mode) ||
		log_bytes_open(name, &bytes, &ignored))
		return false;
	is = log_bytes_read(bytes, begin, sizeof(begin), &ignored) == sizeof(begin) &&
		bytes_u32(begin) == WIRE_HEADER_BEGIN;
	log_bytes_close(bytes);
	return is;
}

/* Finds out of which kinds a log has events. One that cannot be read has those before the damage.
 */
static void find_kinds(const char *name, bool has[ROLES])
{
	struct event_batch batch = {0};
	struct error ignored;
	struct feed feed;
	size_t events = 0;

	if (!feed_open_log(&feed, "flame", name, probes, sizeof(probes) / sizeof(probes[0]), NULL,
		    &ignored))
		while (!has[ROLE_CALL] && events < EVENTS_MAX &&
			source_next(feed.source, 0, &batch, &ignored) == SOURCE_MORE) {
			events += batch.event_count;
			for (size_t i = 0; i < batch.event_count; i++) {
				const int role = feed_role(&feed, &batch.events[i]);

				if (role >= 0)
					has[role] = true;
			}
		}
	feed_close(&feed);
}

/* Returns true if a log has samples of the heap, which no probe fires. */
static bool has_heap(const char *name)
{
	struct record_file file;
	struct record record;
	struct error ignored;
	bool has = false;

	if (!record_file_open(&file, name, &ignored))
		for (size_t events = 0; !has && events < EVENTS_MAX &&
			record_file_next(&file, &record, &ignored) == RECORDS_EVENT;
			events++)
			has = record.type == WIRE_HEAP_PROF_SAMPLE_BEGIN;
	record_file_close(&file);
	return has;
}

int log_advice_tell(const char *name)
{
	bool has[ROLES] = {false};

	find_kinds(name, has);
	if (has[ROLE_CALL])
		cli_message("%s is a recording, which has ended: 'vmtap flame %s -o FILE' draws "
			    "it, 'vmtap trace method_time --log %s' prints a table of its methods",
			name, name, name);
	else if (has[ROLE_SAMPLE])
		cli_message("%s is a recording, which has ended: 'vmtap flame %s -o FILE' draws "
			    "its samples, 'vmtap flame --folded %s -o -' prints them",
			name, name, name);
	else if (has_heap(name))
		cli_message("%s is a recording, which has ended: 'vmtap heap %s' shows how the "
			    "heap grows in it",
			name, name);
	else
		cli_message(
			"%s is a recording, which has ended, and has neither calls nor samples: "
			"'vmtap log %s' counts its events",
			name, name);
	return CLI_USAGE;
}
