/*
 * differential.c: random D programs must print the same whichever way they are run.
 *
 *     differential [--seed N] [--count N] [--plant BUG] [--show]
 *
 * Each program (random_program.h) is compiled and run twice: with the compiler's optimizations and
 * the engine's fused instructions, and without. Programs with events run over a recorded log
 * (random_events.h) both times, and once more over the stream of the same events. The seed of the
 * first program is N, and that of each further program is one more. If output or messages differ,
 * the seed, the program and both outputs are printed, and the command that repeats it; the status
 * is then 1. --show prints the program of each seed and its output.
 *
 * --plant puts a bug into the optimized run, or into the stream, to show that it would be found.
 * The linker redirects calls (--wrap) of a few functions to the ones here that start with __wrap_.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/ast.h"
#include "d/compile.h"
#include "d/compiler.h"
#include "d/generate.h"
#include "engine/engine.h"
#include "engine/machine/machine.h"
#include "engine/output/text_writer.h"
#include "engine/state.h"
#include "random_events.h"
#include "random_program.h"
#include "source/source.h"
#include "targets/find/vm_stream.h"

enum way { WAY_PLAIN, WAY_OPTIMIZED, WAY_STREAM, WAYS };

static const char *const way_names[WAYS] = {"plain", "optimized", "over the stream"};

static const char *const bugs[] = {"fold", "compare", "cut", "demand"};
enum bug { BUG_FOLD, BUG_COMPARE, BUG_CUT, BUG_DEMAND, BUGS };

static enum bug planted = BUGS;
static enum way running;

/* ---- planted bugs ---- */

struct d_node *__real_d_node_binary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right);
struct d_node *__wrap_d_node_binary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right);
struct d_instruction *__real_machine_prepare(
	const struct engine *engine, const struct d_instruction *code, size_t count);
struct d_instruction *__wrap_machine_prepare(
	const struct engine *engine, const struct d_instruction *code, size_t count);
int __real_d_emit_cut(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, const struct d_type *type);
int __wrap_d_emit_cut(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, const struct d_type *type);
int __real_source_request_of_program(struct source_request *request,
	const struct d_program *program, const struct d_probe_set *probes);
int __wrap_source_request_of_program(struct source_request *request,
	const struct d_program *program, const struct d_probe_set *probes);

/* fold: a folded - is one too large if its result is negative. */
struct d_node *__wrap_d_node_binary(struct d_compiler *compiler, enum d_operator operation,
	const struct d_place *place, struct d_node *left, struct d_node *right)
{
	struct d_node *node = __real_d_node_binary(compiler, operation, place, left, right);

	if (planted == BUG_FOLD && running != WAY_PLAIN && node && node->kind == D_NODE_INTEGER &&
		operation == D_OPERATOR_SUBTRACT && (int64_t)node->value < 0)
		node->value++;
	return node;
}

/* compare: <= is <. */
struct d_instruction *__wrap_machine_prepare(
	const struct engine *engine, const struct d_instruction *code, size_t count)
{
	struct d_instruction *prepared = __real_machine_prepare(engine, code, count);

	for (size_t i = 0; prepared && i < count; i++)
		if (planted == BUG_COMPARE && running != WAY_PLAIN &&
			prepared[i].opcode == D_OP_LESS_EQUAL)
			prepared[i].opcode = D_OP_LESS;
	return prepared;
}

/* cut: results of op= and ++ are not cut to types of one byte. */
int __wrap_d_emit_cut(
	struct d_compiler *compiler, struct d_code *code, unsigned reg, const struct d_type *type)
{
	if (planted == BUG_CUT && running != WAY_PLAIN && type->size == 1)
		return 0;
	return __real_d_emit_cut(compiler, code, reg, type);
}

/* demand: clauses do not ask for their second argument. */
int __wrap_source_request_of_program(struct source_request *request,
	const struct d_program *program, const struct d_probe_set *probes)
{
	int result = __real_source_request_of_program(request, program, probes);

	for (size_t i = 0; !result && planted == BUG_DEMAND && i < request->demand_count; i++)
		request->demands[i].arguments &= ~UINT64_C(2);
	return result;
}

/* ---- a run ---- */

static const struct event_process self = {1, 2, 3, 4, "differential", "", NULL};

/* What a run printed. */
struct outcome {
	char *output, *messages;
	size_t output_size, messages_size;
	bool is_rejected; /* by the compiler; messages has the reason */
};

static void free_outcome(struct outcome *outcome)
{
	free(outcome->output);
	free(outcome->messages);
}

static __attribute__((noreturn)) void stop(const char *what, const char *why)
{
	fprintf(stderr, "differential: %s: %s\n", what, why);
	exit(2);
}

static struct d_program *compile(
	const char *text, size_t length, struct d_probe_set *probes, struct d_error *error)
{
	static const struct d_compile_options options = {.nolibs = true};
	const struct d_compile_settings settings = {.name = "differential",
		.compile_options = &options,
		.unoptimized = running == WAY_PLAIN};
	struct d_compiler *compiler;

	if (d_compiler_new(&settings, &compiler))
		stop("compiler", "no memory");
	if (d_compiler_set_probes(compiler, probes, error) ||
		d_parse_script(compiler, "program.d", text, length, error)) {
		d_compiler_free(compiler);
		return NULL;
	}
	return d_compiler_finish(compiler);
}

static void run_source(struct engine *engine, struct source *source,
	const struct d_program *program, const struct d_probe_set *probes)
{
	struct source_request request;
	struct event_batch batch;
	enum source_state state = SOURCE_MORE;
	struct error error;

	if (source_request_of_program(&request, program, probes))
		stop("request", "no memory");
	if (request.want_count && source_enable(source, &request, &error))
		stop("source", error.text);
	while (request.want_count && state != SOURCE_ENDED) {
		state = source_next(source, 10000, &batch, &error);
		if (state == SOURCE_MORE)
			engine_run(engine, &batch);
		else if (state != SOURCE_ENDED)
			stop("source", state == SOURCE_IDLE ? "nothing arrives" : error.text);
	}
	source_request_free(&request);
}

static void run_program(const struct d_program *program, struct d_probe_set *probes,
	struct source *source, struct text_writer *text)
{
	const uint64_t end = RANDOM_EVENTS_START + 2 * RANDOM_EVENTS_LENGTH;
	const struct engine_settings settings = {.program = program,
		.probes = probes,
		.self = &self,
		.writer = &text->writer,
		.cpus = 2,
		.unfused = running == WAY_PLAIN,
		.recorded = true};
	struct engine *engine;
	int result = engine_new(&settings, &engine);

	/* For lack of space a program may be refused, but not because it is wrong. */
	if (result == -ENOSPC)
		return;
	if (result)
		stop("engine", strerror(-result));
	engine_begin(engine, RANDOM_EVENTS_START, 86400000000000);
	if (source)
		run_source(engine, source, program, probes);
	engine_advance(engine, end);
	engine_status(engine);
	engine_end(engine, end);
	engine_status(engine);
	engine_free(engine);
}

static void run(enum way way, const struct random_program *random, struct outcome *outcome)
{
	struct source *source = NULL;
	struct d_probe_set probes;
	struct d_program *program;
	struct text_writer text;
	struct d_error reason;
	struct error error;
	FILE *output, *messages;
	int result = 0;

	running = way;
	*outcome = (struct outcome){0};
	output = open_memstream(&outcome->output, &outcome->output_size);
	messages = open_memstream(&outcome->messages, &outcome->messages_size);
	if (!output || !messages || d_probe_set_init(&probes))
		stop("run", "no memory");
	if (way == WAY_STREAM)
		result = vm_stream_open(0, random_events_socket(), 0, &probes, &source, &error);
	else if (random->has_events)
		result = source_log_open(random_events_log(), &probes, &source, &error);
	if (result)
		stop("source", error.text);
	text_writer_init(&text, output, messages);
	program = compile(random->text, random->length, &probes, &reason);
	if (program)
		run_program(program, &probes, source, &text);
	else
		fprintf(messages, "line %u: %s", reason.line, reason.message.text);
	outcome->is_rejected = !program;
	if (source)
		source_close(source);
	d_program_free(program);
	d_probe_set_free(&probes);
	fclose(output);
	fclose(messages);
}

/* ---- comparing ---- */

/* The end of a fault's position in the byte code, which differs; at itself if there is none. */
static const char *skip_position(const char *at)
{
	static const char before[] = " at BPF pc ";

	if (strncmp(at, before, sizeof(before) - 1) != 0)
		return at;
	at += sizeof(before) - 1;
	return at + strspn(at, "0123456789");
}

static bool same_messages(const char *one, const char *other)
{
	while (*one && *one == *other) {
		const char *next = skip_position(one);
		other = next == one ? other + 1 : skip_position(other);
		one = next == one ? one + 1 : next;
	}
	return *one == *other;
}

static bool is_same(const struct outcome *one, const struct outcome *other)
{
	return one->is_rejected == other->is_rejected && one->output_size == other->output_size &&
		!memcmp(one->output, other->output, one->output_size) &&
		same_messages(one->messages, other->messages);
}

/* More instructions need more registers. */
static bool is_too_large(const struct outcome *outcome)
{
	return outcome->is_rejected && strstr(outcome->messages, "Insufficient registers");
}

static void show(enum way way, const struct outcome *outcome)
{
	printf("---- %s ----\n", way_names[way]);
	fwrite(outcome->output, 1, outcome->output_size, stdout);
	printf("---- messages ----\n%s\n", outcome->messages);
}

struct tally {
	unsigned long programs, rejected, with_events, with_faults;
};

/* Runs the program of a seed in all ways. false: they differ. */
static bool check(uint64_t seed, bool is_shown, const char *command, struct tally *counts)
{
	struct random_program program;
	struct outcome outcomes[WAYS] = {{0}};
	enum way ways = WAYS, differs = WAYS;

	random_program_make(&program, seed);
	if (!program.text || (program.has_events && random_events_make(seed)))
		stop("program", "no memory");
	if (!program.has_events)
		ways = WAY_STREAM;
	for (enum way way = 0; way < ways; way++) {
		run(way, &program, &outcomes[way]);
		if (!is_same(&outcomes[0], &outcomes[way]) && differs == WAYS &&
			!is_too_large(&outcomes[0]))
			differs = way;
	}
	counts->programs++;
	counts->rejected += outcomes[0].is_rejected;
	counts->with_events += program.has_events;
	counts->with_faults += strstr(outcomes[0].messages, "dtrace: error") != NULL;
	if (is_shown || differs != WAYS)
		printf("%s", program.text);
	if (is_shown && differs == WAYS)
		show(WAY_OPTIMIZED, &outcomes[WAY_OPTIMIZED]);
	if (differs != WAYS) {
		show(WAY_PLAIN, &outcomes[WAY_PLAIN]);
		show(differs, &outcomes[differs]);
		printf("differential: seed %llu: the program above differs when it runs %s; to "
		       "repeat it:\n%s --seed %llu --count 1",
			(unsigned long long)seed, way_names[differs], command,
			(unsigned long long)seed);
		printf(planted < BUGS ? " --plant %s\n" : "\n",
			planted < BUGS ? bugs[planted] : "");
	}
	for (enum way way = 0; way < WAYS; way++)
		free_outcome(&outcomes[way]);
	free(program.text);
	return differs == WAYS;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end)
		stop(text, "not a number");
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
		{"count", required_argument, NULL, 'c'}, {"plant", required_argument, NULL, 'p'},
		{"show", no_argument, NULL, 'v'}, {0}};
	uint64_t seed = 1, count = 1000;
	struct tally counts = {0};
	bool is_shown = false, is_same = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = number(optarg);
			break;
		case 'c':
			count = number(optarg);
			break;
		case 'p':
			for (planted = 0; planted < BUGS && strcmp(bugs[planted], optarg) != 0;)
				planted++;
			if (planted == BUGS)
				stop(optarg, "no such bug");
			break;
		case 'v':
			is_shown = true;
			break;
		default:
			return 2;
		}
	}
	if (random_events_start())
		stop("stream", "cannot be served");
	for (uint64_t i = 0; i < count && is_same; i++)
		is_same = check(seed + i, is_shown, argv[0], &counts);
	random_events_stop();
	if (is_same)
		printf("differential: seeds %llu to %llu: no difference in %lu programs (%lu with "
		       "events, %lu with faults, %lu rejected)\n",
			(unsigned long long)seed, (unsigned long long)(seed + count - 1),
			counts.programs, counts.with_events, counts.with_faults, counts.rejected);
	return is_same ? 0 : 1;
}
