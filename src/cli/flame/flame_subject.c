/* flame_subject.c: see flame_subject.h. */
#include "cli/flame/flame_subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cli/feed.h"

void flame_subject_describe(
	struct flame_subject *subject, const struct feed *feed, const char *what)
{
	const struct source *source = feed->source;
	const struct event_process *process = &source->process;

	if (process->pid)
		snprintf(subject->name, sizeof(subject->name), "%s%s(%" PRIu32 ")",
			process->execname ? process->execname : "",
			process->execname && *process->execname ? " " : "", process->pid);
	else
		snprintf(subject->name, sizeof(subject->name), "%s", what);
	if (!source->recorded)
		subject->when = clock_now(CLOCK_REALTIME);
	else if (source->wall_offset)
		subject->when = (uint64_t)((int64_t)source->start + source->wall_offset);
	if (source->recorded)
		subject->file = what;
	for (size_t i = 0; i < feed->set.count; i++)
		if (feed->roles[i] >= 0 && !strcmp(feed->set.probes[i].name, "thread-stop"))
			subject->leaves_waits_out = true;
}

void flame_subject_number(char text[32], uint64_t number)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number), at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
}

static void print_amount(char *text, size_t size, uint64_t amount, const char *unit)
{
	char number[32];

	if (strcmp(unit, "ns") != 0 || amount < 1000) {
		flame_subject_number(number, amount);
		snprintf(text, size, "%s %s", number, unit);
	} else if (amount < CLOCK_NS_PER_MS) {
		snprintf(text, size, "%.3f µs", (double)amount / 1e3);
	} else if (amount < CLOCK_NS_PER_S) {
		snprintf(text, size, "%.3f ms", (double)amount / 1e6);
	} else {
		snprintf(text, size, "%.3f s", (double)amount / 1e9);
	}
}

void flame_subject_amount(
	char line[FLAME_SUBJECT_LINE_MAX], const struct flame_subject *subject, const char *unit)
{
	char amount[64], count[32];

	print_amount(amount, sizeof(amount), subject->total, unit);
	flame_subject_number(count, subject->count);
	if (!subject->count || !strcmp(unit, subject->counted))
		snprintf(line, FLAME_SUBJECT_LINE_MAX, "%s", amount);
	else
		snprintf(line, FLAME_SUBJECT_LINE_MAX, "%s in %s %s", amount, count,
			subject->counted);
}

void flame_subject_cost(
	char line[FLAME_SUBJECT_LINE_MAX], const struct flame_subject *subject, const char *unit)
{
	*line = '\0';
	if (!strcmp(unit, "ns"))
		call_cost_text(line, &subject->cost, subject->total);
}

void flame_subject_origin(char line[FLAME_SUBJECT_LINE_MAX], const struct flame_subject *subject)
{
	time_t seconds = (time_t)(subject->when / CLOCK_NS_PER_S);
	char when[64] = "", lost[48] = "", number[32];
	const char *file = subject->file;
	struct tm parts;

	if (subject->when && localtime_r(&seconds, &parts))
		strftime(when, sizeof(when), "recorded %Y-%m-%d %H:%M:%S %z", &parts);
	flame_subject_number(number, subject->lost);
	if (subject->lost)
		snprintf(lost, sizeof(lost), "%s events lost", number);
	snprintf(line, FLAME_SUBJECT_LINE_MAX, "%s%s%.200s%s%s", when, *when && file ? ", " : "",
		file ? file : "", *lost && (*when || file) ? ", " : "", lost);
}
