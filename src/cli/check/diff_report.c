/* diff_report.c: see diff_report.h. */
#include "cli/check/diff_report.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/probes.h"

void diff_report(struct diff_report *report, const char *kind, const char *provider,
	const char *probe, const char *what, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	report->count++;
	report->added += kind[0] == 'a';
	if (report->changes) {
		json_t *json = json_object();

		json_object_set_new(json, "change", json_string(kind));
		json_object_set_new(json, "provider", probes_json_text(provider));
		json_object_set_new(json, "probe", probes_json_text(probe));
		if (what)
			json_object_set_new(json, "what", json_string(what));
		json_object_set_new(json, "text", probes_json_text(text));
		json_array_append_new(report->changes, json);
		return;
	}
	printf("%c ", kind[0] == 'a' ? '+' : kind[0] == 'r' ? '-' : '!');
	probes_print(provider);
	printf(":::");
	probes_print(probe);
	if (what)
		printf(": ");
	probes_print(text);
	putchar('\n');
}
