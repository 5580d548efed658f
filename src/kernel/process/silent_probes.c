/*
 * silent_probes.c: see silent_probes.h. Each rule is a row with the probes that it is about, the
 * condition, and the message. If the condition cannot be checked, there is no message.
 */
#include "kernel/process/silent_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pattern.h"

/* The words of a process's command line, or the variables of its environment: texts one after the
 * other, each with its NUL. */
struct silence_words {
	char bytes[1 << 16];
	size_t size;
	bool is_known; /* all of them are here */
};

struct silence_process {
	struct silence_words command, environment;
	const struct kernel_target *target;
	bool traces_lines; /* python's line is attached to */
};

/* Reads the words of a file. One that cannot be read has none, like those of an ended process. */
static void read_words(uint32_t pid, const char *name, struct silence_words *words)
{
	ssize_t part = 1;
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%u/%s", (unsigned int)pid, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	while (file >= 0 && part > 0 && words->size < sizeof(words->bytes) - 1) {
		part = read(
			file, words->bytes + words->size, sizeof(words->bytes) - 1 - words->size);
		words->size += part > 0 ? (size_t)part : 0;
	}
	if (file >= 0)
		close(file);
	words->bytes[words->size] = '\0'; /* the last one may lack its own */
	words->is_known = !part;          /* 1: it could not be opened */
}

/* Returns the first word that begins with the prefix; NULL if there is none. */
static const char *find_word(const struct silence_words *words, const char *prefix)
{
	for (const char *at = words->bytes; at < words->bytes + words->size; at += strlen(at) + 1)
		if (!strncmp(at, prefix, strlen(prefix)))
			return at;
	return NULL;
}

/* ---- conditions: true if the probe does not fire for this reason ---- */

/* Returns whether the environment can be seen; that of a process which runs may be empty. */
static bool sees_environment(const struct silence_process *process)
{
	return process->environment.is_known && process->command.size;
}

static bool lacks_zend_dtrace(const struct silence_process *process)
{
	const char *variable = find_word(&process->environment, "USE_ZEND_DTRACE=");

	return variable ? !strtol(strchr(variable, '=') + 1, NULL, 0) : sees_environment(process);
}

/* Returns whether the JVM has not been given the flag; options in files are not read. */
static bool lacks_java_flag(const struct silence_process *process, const char *flag)
{
	static const char *const variables[] = {
		"JAVA_TOOL_OPTIONS=", "_JAVA_OPTIONS=", "JDK_JAVA_OPTIONS="};

	if (find_word(&process->command, "@") || find_word(&process->command, "-XX:Flags=") ||
		find_word(&process->command, "-XX:VMOptionsFile=") ||
		find_word(&process->command, "-XX:+ExtendedDTraceProbes") ||
		find_word(&process->command, flag))
		return false;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *variable = find_word(&process->environment, variables[i]);

		if (variable && (strstr(variable, "DTrace") || strchr(variable, '@')))
			return false;
	}
	return process->command.is_known && sees_environment(process);
}

static bool lacks_method_probes(const struct silence_process *process)
{
	return lacks_java_flag(process, "-XX:+DTraceMethodProbes");
}

static bool lacks_alloc_probes(const struct silence_process *process)
{
	return lacks_java_flag(process, "-XX:+DTraceAllocProbes");
}

static bool lacks_monitor_probes(const struct silence_process *process)
{
	return lacks_java_flag(process, "-XX:+DTraceMonitorProbes");
}

/* Since Ruby 2.5, these probes are in code that Ruby runs only while a TracePoint is enabled. */
static bool lacks_trace_point(const struct silence_process *process)
{
	for (uint32_t i = 0; i < process->target->file_count; i++)
		if (strstr(process->target->files[i].name, "libruby-3") ||
			strstr(process->target->files[i].name, "libruby.so.3"))
			return true;
	return false;
}

static bool lacks_lines(const struct silence_process *process)
{
	for (uint32_t i = 0; i < process->target->file_count; i++)
		if (strstr(process->target->files[i].name, "python3.11"))
			return !process->traces_lines;
	return false;
}

static const struct {
	const char *provider; /* before the pid */
	const char *names[7]; /* globs, up to NULL */
	bool (*holds)(const struct silence_process *process);
	bool is_partial;    /* the probe does fire, but not for all that it should */
	const char *reason; /* a sentence; is_partial: the end of one */
	bool is_of_start;   /* the condition is seen from how the process was started alone */
} rules[KERNEL_SILENCE_RULES] = {
	{"php",
		{"function-entry", "function-return", "execute-entry", "execute-return",
			"compile-file-*"},
		lacks_zend_dtrace, false,
		"PHP fires it only if USE_ZEND_DTRACE=1 is in its environment when "
		"it starts",
		true},
	{"hotspot", {"method-entry", "method-return"}, lacks_method_probes, false,
		"the JVM fires it only if it is started with "
		"-XX:+ExtendedDTraceProbes",
		true},
	{"hotspot", {"object-alloc"}, lacks_alloc_probes, false,
		"the JVM fires it only if it is started with "
		"-XX:+ExtendedDTraceProbes",
		true},
	{"hotspot", {"monitor-*"}, lacks_monitor_probes, false,
		"the JVM fires it only if it is started with "
		"-XX:+ExtendedDTraceProbes",
		true},
	{"ruby", {"method-entry", "method-return"}, lacks_trace_point, false,
		"Ruby fires it only while a TracePoint for calls is enabled: "
		"TracePoint.new(:call, :return) {}.enable",
		false},
	{"python", {"function-entry"}, lacks_lines, true,
		"fires for generators only: Python 3.11 fires it for other functions only while "
		"its "
		"probe line is traced, too; add: -n 'python*:::line /0/ { }'",
		false},
};

static bool is_of(const char *name, const char *provider)
{
	size_t length = strlen(provider);

	return !strncmp(name, provider, length) &&
		strspn(name + length, "0123456789") == strlen(name + length);
}

/* Returns the number of the rule for a probe; KERNEL_SILENCE_RULES if there is none. */
static uint32_t find_rule_of(const char *provider, const char *name)
{
	for (uint32_t i = 0; i < KERNEL_SILENCE_RULES; i++)
		for (size_t j = 0; is_of(provider, rules[i].provider) && rules[i].names[j]; j++)
			if (pattern_match(rules[i].names[j], name))
				return i;
	return KERNEL_SILENCE_RULES;
}

static uint32_t find_rule(const struct d_probe *probe)
{
	return find_rule_of(probe->provider, probe->name);
}

uint32_t kernel_silence_counter(const struct d_probe *probe)
{
	uint32_t rule = find_rule(probe);

	return rule < KERNEL_SILENCE_RULES ? KERNEL_COUNTER_HITS + rule : 0;
}

static bool is_line(const struct d_probe *probe)
{
	return is_of(probe->provider, "python") && !strcmp(probe->name, "line");
}

/* Finds the rules for the sites. Returns whether there are any. */
static bool find_rules(struct kernel_silence *silence, struct silence_process *process,
	const struct d_probe_set *set, const uint32_t *probes, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		uint32_t number = probes[i];
		uint32_t rule = find_rule(&set->probes[number]);

		process->traces_lines |= is_line(&set->probes[number]);
		if (rule == KERNEL_SILENCE_RULES)
			continue;
		any = true;
		if (!silence->holds[rule])
			silence->probes[rule] = number;
		silence->holds[rule] = true;
	}
	return any;
}

int kernel_silence_begin(struct kernel_silence *silence, const struct kernel_target *target,
	const struct d_probe_set *set, const uint32_t *probes, size_t count)
{
	struct silence_process *process = calloc(1, sizeof(*process));

	if (!process)
		return -ENOMEM;
	if (find_rules(silence, process, set, probes, count)) {
		process->target = target;
		read_words(target->pid, "cmdline", &process->command);
		read_words(target->pid, "environ", &process->environment);
		for (size_t i = 0; i < KERNEL_SILENCE_RULES; i++)
			silence->holds[i] = silence->holds[i] && rules[i].holds(process);
	}
	free(process);
	return 0;
}

const char *kernel_silence_foresee(
	uint32_t pid, const char *provider, const char *name, bool *is_seen)
{
	uint32_t rule = find_rule_of(provider, name);
	struct silence_process *process;

	*is_seen = false;
	if (rule == KERNEL_SILENCE_RULES || rules[rule].is_partial)
		return NULL;
	if (!rules[rule].is_of_start)
		return rules[rule].reason;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	read_words(pid, "cmdline", &process->command);
	read_words(pid, "environ", &process->environment);
	*is_seen = rules[rule].holds(process);
	free(process);
	return *is_seen ? rules[rule].reason : NULL;
}

bool kernel_silence_tell(const struct kernel_silence *silence, const uint64_t *counters,
	const struct d_probe_set *set, char *message, size_t size)
{
	for (size_t i = 0; i < KERNEL_SILENCE_RULES; i++) {
		const struct d_probe *probe = &set->probes[silence->probes[i]];
		bool fired = __atomic_load_n(&counters[KERNEL_COUNTER_HITS + i], __ATOMIC_RELAXED);

		if (!silence->holds[i] || (fired && !rules[i].is_partial))
			continue;
		snprintf(message, size, "%s:::%s %s%s", probe->provider, probe->name,
			rules[i].is_partial ? "" : "has not fired: ", rules[i].reason);
		return true;
	}
	return false;
}
