/*
 * generator_own.c: a VM author's provider file: what it must fulfil beyond the grammar, so that the
 * generated code compiles and every tracer and stream can show its probes; the names in that code;
 * and the text of the definition that streams carry.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "contract/generator.h"
#include "wire/wire.h"

enum {
	PROVIDER_BYTES_MAX = 31,
	PROBE_BYTES_MAX = 63, /* as tracers show it */
	ARGUMENT_BYTES_MAX = 47,
	PROBES_OWN_MAX = 512 /* all event types of a process together are 1024 */
};

/* Names that mean something else to D, to tracers, to vmtap or to sys/sdt.h, whatever their case:
 * macros are in capitals. */
static const char *const reserved_providers[] = {"vm", "ruby", "HaskellEvent", "ccl", "dtrace",
	"profile", "tick", "pid", "syscall", "fasttrap", "fbt", "sdt", "stap", "usdt", "proc",
	"sched", "io", "ip", "tcp", "udp", "lockstat", "plockstat", "vminfo", "sysinfo", "mib",
	"fpuinfo", "cpc", "rawfbt", "rawtp", "uprobe", "kprobe", "tracepoint", "linux", "unix",
	"i386", "NULL", "EOF"};

/* Macros of C's headers that a provider's and a probe's name together might be. */
static const char *const macros[] = {"SIZE_MAX", "SSIZE_MAX", "PTRDIFF_MIN", "PTRDIFF_MAX",
	"SIG_ATOMIC_MIN", "SIG_ATOMIC_MAX", "WCHAR_MIN", "WCHAR_MAX", "WINT_MIN", "WINT_MAX",
	"INTMAX_MIN", "INTMAX_MAX", "INTMAX_C", "UINTMAX_MAX", "UINTMAX_C", "INTPTR_MIN",
	"INTPTR_MAX", "UINTPTR_MAX", "SIZE_WIDTH", "PTRDIFF_WIDTH", "SIG_ATOMIC_WIDTH",
	"WCHAR_WIDTH", "WINT_WIDTH", "INTMAX_WIDTH", "UINTMAX_WIDTH", "INTPTR_WIDTH",
	"UINTPTR_WIDTH", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "SHRT_MIN", "SHRT_MAX", "USHRT_MAX",
	"UINT_MAX", "ULONG_MAX", "LLONG_MIN", "LLONG_MAX", "ULLONG_MAX", "MB_LEN_MAX", "PATH_MAX",
	"NAME_MAX", "ARG_MAX", "PIPE_BUF", "LINE_MAX", "HOST_NAME_MAX", "RAND_MAX", "MB_CUR_MAX",
	"EXIT_SUCCESS", "EXIT_FAILURE", "SEEK_SET", "SEEK_CUR", "SEEK_END", "FILENAME_MAX",
	"FOPEN_MAX", "TMP_MAX", "SIG_DFL", "SIG_IGN", "SIG_ERR", "CLOCKS_PER_SEC", "TIME_UTC"};

/* C's keywords that C++ does not have to be asked for (generate_argument() knows C++'s). */
static const char *const keywords[] = {"auto", "break", "case", "char", "const", "continue",
	"default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline",
	"int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static",
	"struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"};

static bool is_keyword(const char *name)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (!strcmp(keywords[i], name))
			return true;
	return false;
}

/* An error at a place of the file. */
__attribute__((format(printf, 5, 6))) static int fail(const struct contract *contract, int line,
	int column, struct error *error, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(
		error, EINVAL, "%s: line %d, column %d: %s", contract->file, line, column, text);
}

static int check_provider(const struct contract *contract, struct error *error)
{
	const struct contract_provider *provider = &contract->providers[0];
	const char *name = provider->name;

	if (contract->provider_count != 1)
		return fail(contract, contract->providers[1].line, contract->providers[1].column,
			error, "a second provider '%s': one file defines one provider",
			contract->providers[1].name);
	if (name[0] == '_')
		return fail(contract, provider->line, provider->column, error,
			"the provider's name '%s' begins with '_': C reserves names like those of "
			"its macros",
			name);
	if (!strncasecmp(name, "vmtap", strlen("vmtap")))
		return fail(contract, provider->line, provider->column, error,
			"the provider's name '%s' is reserved: vmtap's own names begin like it",
			name);
	for (size_t i = 0; i < sizeof(reserved_providers) / sizeof(reserved_providers[0]); i++)
		if (!strcasecmp(reserved_providers[i], name))
			return fail(contract, provider->line, provider->column, error,
				"the provider's name '%s' is reserved: '%s' exists", name,
				reserved_providers[i]);
	if (is_keyword(name))
		return fail(contract, provider->line, provider->column, error,
			"the provider's name '%s' is a word of C", name);
	if (strlen(name) > PROVIDER_BYTES_MAX)
		return fail(contract, provider->line, provider->column, error,
			"the provider's name is longer than %d bytes", PROVIDER_BYTES_MAX);
	if (isdigit((unsigned char)name[strlen(name) - 1]))
		return fail(contract, provider->line, provider->column, error,
			"the provider's name '%s' ends in a digit: tracers append the pid", name);
	if (!provider->probe_count)
		return fail(contract, provider->line, provider->column, error,
			"the provider has no probe");
	if (provider->probe_count > PROBES_OWN_MAX)
		return fail(contract, provider->line, provider->column, error,
			"the provider has %zu probes, at most %d are possible",
			provider->probe_count, PROBES_OWN_MAX);
	return 0;
}

static int check_argument(const struct contract *contract, const struct contract_probe *probe,
	unsigned index, struct error *error)
{
	const struct contract_argument *argument = &probe->arguments[index];
	const char *name = argument->name, *wrong = NULL;

	for (unsigned i = 0; i < index && *name; i++)
		if (!strcmp(probe->arguments[i].name, name))
			wrong = "is the name of another argument, too";
	if (is_keyword(name))
		wrong = "is a word of C";
	else if (!strncmp(name, "vmtap_", strlen("vmtap_")))
		wrong = "begins like the names in the generated code";
	else if (strlen(name) > ARGUMENT_BYTES_MAX)
		wrong = "is too long";
	if (!*name)
		return fail(contract, argument->line, argument->column, error,
			"argument %u of probe %s has no name", index + 1, probe->name);
	if (wrong)
		return fail(contract, argument->line, argument->column, error,
			"the argument's name '%s' %s", name, wrong);
	if (argument->kind == CONTRACT_STRING && argument->string == CONTRACT_STRING_NONE)
		return fail(contract, argument->line, argument->column, error,
			"how is the string '%s' carried? Document it with '@%s [name] ...' if it "
			"recurs, "
			"else with '@%s [text] ...'",
			name, name, name);
	if (argument->kind == CONTRACT_POINTER && !argument->is_address)
		return fail(contract, argument->line, argument->column, error,
			"what '%s' points to cannot travel: pass its members, or document it with "
			"'@%s [address] ...' to pass the address alone",
			name, name);
	return 0;
}

/* Whether two probes' macros would have the same name: LUA_X of "x", LUA_X_ENABLED of both. */
static bool clashes(const struct contract_probe *one, const struct contract_probe *other)
{
	char macro[160];

	snprintf(macro, sizeof(macro), "%s_ENABLED", generate_name(one, true));
	return !strcmp(generate_name(one, true), generate_name(other, true)) ||
		!strcmp(macro, generate_name(other, true));
}

static bool is_macro(const struct contract_provider *provider, const struct contract_probe *probe)
{
	char name[256];

	snprintf(name, sizeof(name), "%s_%s", generate_upper(provider->name),
		generate_name(probe, true));
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
		if (!strcmp(macros[i], name))
			return true;
	return false;
}

/* What a compiler or the headers of the generated code replace by something else. */
static bool is_word_of_compilers(const char *identifier)
{
	return !strcmp(identifier, "linux") || !strcmp(identifier, "unix") ||
		!strcmp(identifier, "i386") || !strcmp(identifier, "NULL");
}

static int check_probe(const struct contract *contract, size_t index, struct error *error)
{
	const struct contract_provider *provider = &contract->providers[0];
	const struct contract_probe *probe = &provider->probes[index];
	unsigned texts = 0;
	int result = 0;

	if (!strcmp(generate_name(probe, true), "GUARD") ||
		!strcmp(generate_name(probe, true), "FIRE"))
		return fail(contract, probe->line, probe->column, error,
			"the macro of probe '%s' would have the name of another one: %s_%s(probe) "
			"gives an address to generated code",
			probe->name, generate_upper(provider->name), generate_name(probe, true));
	if (is_macro(provider, probe))
		return fail(contract, probe->line, probe->column, error,
			"probe '%s' would have the macro %s_%s, which C's headers define",
			probe->name, generate_upper(provider->name), generate_name(probe, true));
	if (is_word_of_compilers(probe->identifier))
		return fail(contract, probe->line, probe->column, error,
			"the probe's name '%s' is a macro of compilers", probe->identifier);
	if (strlen(probe->name) > PROBE_BYTES_MAX)
		return fail(contract, probe->line, probe->column, error,
			"the probe's name is longer than %d bytes", PROBE_BYTES_MAX);
	for (size_t i = 0; i < provider->probe_count; i++)
		if (i != index && clashes(&provider->probes[i], probe) &&
			(i < index ||
				strcmp(generate_name(&provider->probes[i], true),
					generate_name(probe, true)) != 0))
			return fail(contract, probe->line, probe->column, error,
				"the macros of probes '%s' and '%s' would have the same name",
				provider->probes[i].name, probe->name);
	if (probe->eventlog_count || probe->event.present)
		return fail(contract, probe->line, probe->column, error,
			"probe %s has a line %s, which is only for vmtap's own providers",
			probe->name, probe->event.present ? "@event" : "@eventlog");
	for (unsigned i = 0; i < probe->argument_count && !result; i++) {
		result = check_argument(contract, probe, i, error);
		texts += generate_is_text(&probe->arguments[i]);
		if (!result && texts > 1)
			result =
				fail(contract, probe->arguments[i].line, probe->arguments[i].column,
					error, "a second [text], '%s': an event carries one",
					probe->arguments[i].name);
	}
	return result;
}

int generate_check_own(const struct contract *contract, struct error *error)
{
	int result = check_provider(contract, error);

	for (size_t i = 0; !result && i < contract->providers[0].probe_count; i++)
		result = check_probe(contract, i, error);
	return result;
}

void generate_take_own(struct generate_input *input, struct contract *contract, const char *library)
{
	*input = (struct generate_input){.contract = contract,
		.provider = &contract->providers[0],
		.is_own = true,
		.library = library};
	snprintf(input->macro, sizeof(input->macro), "%s", generate_upper(input->provider->name));
	snprintf(input->symbol, sizeof(input->symbol), "vmtap_%s", input->provider->name);
}

/* ---- the text that streams carry ---- */

struct strip {
	const char *at, *end;
	FILE *out;
	bool line_begins; /* nothing has been written of the line */
	bool blank;       /* a blank is due before the next character */
};

static void put(struct strip *strip, char character)
{
	if (strip->line_begins)
		fputs(WIRE_LIBRARY, strip->out);
	else if (strip->blank)
		fputc(' ', strip->out);
	strip->line_begins = strip->blank = false;
	fputc(character, strip->out);
}

static void end_line(struct strip *strip)
{
	if (!strip->line_begins)
		fputc('\n', strip->out);
	strip->line_begins = true;
	strip->blank = false;
}

static void skip_comment(struct strip *strip)
{
	bool is_line = strip->at[1] == '/';

	for (strip->at += 2; strip->at < strip->end; strip->at++) {
		if (is_line && *strip->at == '\n')
			return;
		if (!is_line && strip->end - strip->at > 1 && strip->at[0] == '*' &&
			strip->at[1] == '/') {
			strip->at += 2;
			return;
		}
	}
}

/* Copies a literal in quotes. */
static void copy_literal(struct strip *strip)
{
	const char quote = *strip->at;

	do {
		if (*strip->at == '\\' && strip->end - strip->at > 1)
			put(strip, *strip->at++);
		put(strip, *strip->at++);
	} while (strip->at < strip->end && *strip->at != quote && *strip->at != '\n');
	if (strip->at < strip->end && *strip->at == quote)
		put(strip, *strip->at++);
}

/* Copies "#pragma D attributes"; skips other control lines, which are no concern of scripts. */
static void copy_control(struct strip *strip)
{
	const char *newline = memchr(strip->at, '\n', (size_t)(strip->end - strip->at));
	const char *end = newline ? newline : strip->end;
	char first[16] = "", second[4] = "", third[16] = "", line[256];

	snprintf(line, sizeof(line), "%.*s", (int)(end - strip->at), strip->at);
	if (sscanf(line, " # %15s %3s %15s", first, second, third) == 3 &&
		!strcmp(first, "pragma") && !strcmp(second, "D") && !strcmp(third, "attributes")) {
		for (; strip->at < end; strip->at++)
			if (*strip->at != '\r')
				put(strip, *strip->at);
	}
	strip->at = end;
}

char *generate_library(const char *text, size_t length)
{
	char *library = NULL;
	size_t size;
	struct strip strip = {.at = text, .end = text + length, .line_begins = true};

	strip.out = open_memstream(&library, &size);
	if (!strip.out)
		return NULL;
	while (strip.at < strip.end) {
		char character = *strip.at, next = strip.end - strip.at > 1 ? strip.at[1] : '\0';

		if (character == '/' && (next == '*' || next == '/')) {
			skip_comment(&strip);
			strip.blank = true;
		} else if (character == '"' || character == '\'') {
			copy_literal(&strip);
		} else if (character == '#' && strip.line_begins) {
			copy_control(&strip);
		} else if (character == '\n') {
			end_line(&strip);
			strip.at++;
		} else if (isspace((unsigned char)character) || !character) {
			strip.blank = true;
			strip.at++;
		} else {
			put(&strip, character);
			strip.at++;
		}
	}
	end_line(&strip);
	if (fclose(strip.out)) {
		free(library);
		return NULL;
	}
	return library;
}
