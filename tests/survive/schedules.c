/*
 * schedules.c: what the ring, the table of names and the registry promise, in every order in which
 * threads can run and stores can arrive that the scheduler tries. The library's files are the real
 * ones, compiled with hooks.h; clients and the descriptor of the eventfd are replaced by what is
 * here.
 *
 *   schedules [--scenario NAME] [--model sc|tso|weak] [--count N] [--seed N] [--trace]
 *   schedules --model server [--count N] [--seed N] [--trace]
 *
 * Runs count schedules of each scenario in each model, with the seeds from the given one on. The
 * first violation ends it: exit status 1, and a line that says how to repeat that schedule. The
 * second form runs server_schedules.c.
 */
#include "definitions.h"
#include "few_names.h"
#include "scheduler.h"

#include <getopt.h>
#include <inttypes.h>

#include "shim/core/descriptor.h"
#include "shim/core/fire.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"
#include "shim/core/ring.h"
#include "shim/core/ring_memory.h"
#include "shim/core/stamp.h"
#include "shim/stream/client.h"
#include "shim/stream/drain.h"
#include "shim/stream/missed.h"

enum {
	EVENTS = 2, /* types: IDLE has a number, PAUSE has a name and a number */
	EVENT_IDLE = 0,
	EVENT_PAUSE = 1,
	IDLE_BYTES = 16, /* as the generator lays the records out */
	PAUSE_BYTES = 24,
	NAME_OFFSET = 16,
	SHOTS_MAX = 200,
	NAMES = 4,
	RING_SMALL = 128,
	SLEEP_NS = 20000000
};

void schedule_tell(void);

/* ---- the object that fires, as the probe part would make it ---- */

static uint32_t guards[2][EVENTS];
static unsigned short *const words[2][EVENTS] = {
	{(unsigned short *)&guards[0][0], (unsigned short *)&guards[0][1]},
	{(unsigned short *)&guards[1][0], (unsigned short *)&guards[1][1]}};
static const struct vmtap_definition *definitions[EVENTS];
static const char *const no_providers[] = {NULL};
struct vmtap_object vmtap_object = {.size = sizeof(vmtap_object),
	.version = VMTAP_OBJECT_VERSION,
	.event_count = EVENTS,
	.definitions = definitions,
	.words = words[0],
	.numbers = vmtap_numbers,
	.providers = no_providers};

static char texts[NAMES][FEW_NAME_BYTES];
static struct vmtap_name names[NAMES];

/* ---- what was fired and what arrived ---- */

struct shot {
	uint8_t event, thread, name;
	bool recorded, arrived;
	bool in_handler; /* it may have interrupted a record */
	int number;      /* of the OS thread */
	unsigned order;  /* of recording */
};

static struct shot shots[SHOTS_MAX];
static unsigned shot_count, lost[EVENTS], arrived[EVENTS], last_of[2 * SCHEDULE_FIBRES_MAX];
static unsigned
	thread_of[SCHEDULE_FIBRES_MAX]; /* a fibre may be two threads, one after the other */
static unsigned recorded;
static unsigned owed; /* the sleep that an event should have ended */
static unsigned running;
static bool wants_lossless, falls_behind, fires_names;
static struct client client;
static struct drain drain, drain_begun;

/* Fires an event as a macro does. Its number says which shot it is. */
static void fire(bool counts_on_wake)
{
	struct vmtap_record *record;
	unsigned index = shot_count++, sleep = 0;
	uint32_t id = 0;

	schedule_expect(index < SHOTS_MAX, "too many events for this test");
	struct shot *shot = &shots[index];
	shot->thread = (uint8_t)(2 * schedule_fibre() + thread_of[schedule_fibre()]);
	shot->event = fires_names ? (uint8_t)schedule_random(EVENTS) : EVENT_IDLE;
	shot->name = (uint8_t)schedule_random(NAMES);
	shot->number = (int)schedule_syscall(SYS_gettid);
	shot->in_handler = !counts_on_wake;
	const void *word = words[0][shot->event];
	if (!__atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED) || !vmtap_wants_stream(word))
		return;
	if (counts_on_wake && schedule_is_asleep())
		sleep = schedule_sleeps();
	if (shot->event == EVENT_PAUSE)
		id = vmtap_name_id(&vmtap_object, &names[shot->name]);
	record = vmtap_record_begin(&vmtap_object, &vmtap_numbers[shot->event],
		shot->event == EVENT_PAUSE ? PAUSE_BYTES : IDLE_BYTES);
	if (!record) {
		schedule_trace("event %u is not recorded%s", index,
			shot->in_handler ? ", in a handler" : "");
		return;
	}
	shot->recorded = true;
	shot->order = ++recorded;
	vmtap_put_u32(record, RECORD_BODY, 0xabcd0000 | index);
	if (shot->event == EVENT_PAUSE)
		vmtap_put_u32(record, NAME_OFFSET, id);
	vmtap_record_commit(record);
	if (sleep && schedule_is_asleep() && schedule_sleeps() == sleep)
		owed = sleep;
}

static void fire_in_handler(void)
{
	fire(false);
}

/* ---- in place of client.c and descriptor.c ---- */

bool client_awaits_end(const struct client *client)
{
	(void)client;
	return schedule_random(4) == 0; /* its ring stays until another time */
}

void client_end_thread(struct client *client, uint64_t thread, uint64_t time)
{
	(void)client, (void)thread, (void)time;
}

void client_take(struct client *to, const struct drained *drained)
{
	const struct event_type *type = drained->type;
	const unsigned char *record = drained->record;
	uint32_t number, id, length;
	char seen[NAME_LENGTH_MAX];
	const char *text;

	(void)to;
	memcpy(&number, record + RECORD_BODY, sizeof(number));
	unsigned index = number & 0xffff;
	schedule_expect(number >> 16 == 0xabcd && index < shot_count,
		"a record that nobody wrote: %#" PRIx32, number);
	struct shot *shot = &shots[index];
	schedule_expect(
		shot->event == type->number, "event %u arrives as type %u", index, type->number);
	schedule_expect(!shot->arrived, "event %u arrives twice", index);
	schedule_expect(
		shot->order > last_of[shot->thread], "event %u arrives after a later one", index);
	schedule_expect(drained->thread == (uint64_t)shot->number,
		"event %u is of thread %d and arrives as %d's", index, shot->number,
		(int)drained->thread);
	last_of[shot->thread] = shot->order;
	shot->arrived = true;
	if (type->number == EVENT_PAUSE) {
		memcpy(&id, record + NAME_OFFSET, sizeof(id));
		if (id & NAME_TRANSIENT) {
			const struct encode_transient *kept =
				&drained->transients[id % NAME_TRANSIENTS];
			if (kept->id != id)
				id = 0;
			length = kept->length < sizeof(seen) ? kept->length : 0;
			for (uint32_t i = 0; i < length; i++) /* as this thread sees it */
				schedule_peek(kept->text + i, &seen[i], 1);
			text = seen;
		} else {
			text = name_text(id, &length);
		}
		if (!id) { /* there was no room for its text: that counts as lost */
			lost[type->number]++;
			return;
		}
		schedule_expect(length == strlen(texts[shot->name]) &&
				!memcmp(text, texts[shot->name], length),
			"event %u has the name '%.*s', not '%s'", index, (int)length, text,
			texts[shot->name]);
	}
	arrived[type->number]++;
}

/* No process of these schedules is a forked worker that waits for a follower of its parent. */
void missed_count(uint32_t event, uint64_t count)
{
	(void)event, (void)count;
}

bool missed_any(void)
{
	return false;
}

void client_lose(struct client *to, uint32_t kind, uint64_t count, uint64_t time)
{
	(void)to, (void)time;
	lost[kind] += (unsigned)count;
}

void client_drop(struct client *to, uint32_t event, const struct ring_drop *drop, uint64_t time)
{
	client_lose(to, event, drop->count, time);
}

/* Now and then a lossless client has no room. */
bool client_all_have_room(
	struct client *clients, const struct event_type *type, const unsigned char *stack)
{
	(void)clients, (void)type, (void)stack;
	return !wants_lossless || !running || schedule_random(8) != 0;
}

void client_send(struct client *to)
{
	to->behind = falls_behind && running && schedule_random(8) == 0;
}

void client_mark(struct client *to, uint64_t watermark, uint64_t now)
{
	(void)to, (void)watermark, (void)now;
}

void client_tell_providers(struct client *to, uint32_t providers, uint64_t since)
{
	(void)since;
	to->providers = providers;
}

void client_tell_wall(struct client *to, const struct stamp_line *clock, uint64_t time)
{
	(void)to, (void)clock, (void)time;
}

struct descriptor_file descriptor_file(int descriptor)
{
	(void)descriptor;
	return (struct descriptor_file){0};
}

bool descriptor_is(int descriptor, struct descriptor_file file)
{
	(void)file;
	return descriptor == SCHEDULE_WAKER;
}

bool descriptor_tell(int descriptor, struct descriptor_file file, uint64_t value)
{
	(void)file, (void)value;
	schedule_expect(descriptor == SCHEDULE_WAKER, "descriptor %d is written to", descriptor);
	schedule_tell();
	return true;
}

/* ---- common parts ---- */

static void listen_to(uint8_t wishes)
{
	const uint8_t all[EVENTS_MAX] = {wishes, wishes};

	ring_set_listening(wishes != 0);
	registry_lock();
	registry_open(all, EVENTS, 0);
	registry_unlock();
}

static void prepare(void)
{
	memset(shots, 0, sizeof(shots));
	memset(lost, 0, sizeof(lost));
	memset(arrived, 0, sizeof(arrived));
	memset(last_of, 0, sizeof(last_of));
	memset(thread_of, 0, sizeof(thread_of));
	client.behind = false;
	shot_count = recorded = owed = 0;
	drain = drain_begun;
	wants_lossless = falls_behind = fires_names = false;
	running = 0;
	for (unsigned i = 0; i < NAMES; i++)
		names[i].id = 0;
}

/* This fibre's ring holds a few records only, so that it is full soon. No record has gone beyond
 * that so far, unless by chance, and nobody else looks at the ring at this moment. */
static void make_ring_small(void)
{
	pid_t thread = (pid_t)schedule_syscall(SYS_gettid);

	struct ring *ring = ring_first();
	uint64_t head;

	while (ring && ring->thread != thread)
		ring = ring->next;
	if (!ring)
		return;
	atomic_store(&ring->limit, 0);
	schedule_peek(&ring->record.head, &head, sizeof(head));
	if (head < RING_SMALL)
		ring->size = RING_SMALL;
}

static void produce(void)
{
	unsigned count = 1 + schedule_random(7);

	if (schedule_random(2))
		schedule_signals(fire_in_handler);
	for (unsigned i = 0; i < count; i++) {
		fire(true);
		if (i == 0)
			make_ring_small();
		if (schedule_random(4) == 0)
			schedule_yield();
	}
	schedule_signals(NULL);
}

static void produce_and_end(unsigned fibre)
{
	unsigned threads = 1 + (schedule_random(3) == 0);

	for (unsigned i = 0; i < threads; i++) {
		thread_of[fibre] = i;
		/* the second one may get the number of one that has ended */
		if (i)
			schedule_new_thread(schedule_random(2) ? fibre : fibre + 10);
		produce();
	}
	schedule_end_thread();
	running--;
}

/* As server.c's loop: drains, and sleeps when nothing has come for a while. */
static void serve(void)
{
	unsigned quiet = 0, patience = schedule_random(3);

	while (running) {
		drain_rings(&drain, &client);
		if (client.behind && schedule_random(2)) { /* it reads nothing for long */
			bool any;
			if (!ring_has_waiters(&any) && running && !schedule_sleep(SLEEP_NS))
				schedule_expect(!ring_has_waiters(&any),
					"a producer waits, and the server that sleeps was not "
					"told");
		}
		if (client.behind) { /* it has read what was left */
			client.behind = false;
			ring_set_held(false);
		}
		if (schedule_random(4) == 0)
			ring_collect(NULL, NULL);
		quiet = drain.found_any || drain.blocked ? 0 : quiet + 1;
		bool impatient;
		if (ring_has_waiters(&impatient) && schedule_random(2))
			continue;
		if (quiet > patience && ring_arm(true)) {
			bool told = schedule_sleep(SLEEP_NS);
			schedule_expect(told || owed != schedule_sleeps(),
				"an event that was fired while the server slept did not wake it");
		} else {
			/* It sleeps for a millisecond: that may be over at any moment. */
			for (unsigned i = schedule_random(3); i; i--)
				schedule_yield();
		}
		ring_disarm();
	}
	ring_set_held(false);
	drain_rings(&drain, &client);
	ring_collect(NULL, NULL);
	drain_rings(&drain, &client);
}

static void check_account(void)
{
	unsigned fired[EVENTS] = {0};

	for (unsigned i = 0; i < shot_count; i++) {
		fired[shots[i].event]++;
		schedule_expect(shots[i].recorded || !shots[i].arrived,
			"event %u arrives though it was dropped", i);
		schedule_expect(shots[i].arrived || !shots[i].recorded,
			"event %u was recorded and does not arrive", i);
	}
	for (unsigned i = 0; i < EVENTS; i++) {
		schedule_expect(arrived[i] + lost[i] == fired[i],
			"type %u: %u fired, %u arrived, %u counted as lost", i, fired[i],
			arrived[i], lost[i]);
	}
	for (struct ring *ring = ring_first(); ring; ring = ring->next)
		schedule_expect(atomic_load(&ring->tail) == atomic_load(&ring->record.head),
			"a ring is not empty at the end");
}

/* ---- the scenarios ---- */

static void prepare_ring(void)
{
	prepare();
	listen_to(RING_OPEN);
	running = 2;
}

static void run_ring(unsigned fibre)
{
	if (fibre == 0)
		serve();
	else
		produce_and_end(fibre);
}

static void prepare_names(void)
{
	prepare();
	fires_names = true;
	listen_to(RING_OPEN);
	running = 3;
}

static void prepare_lossless(void)
{
	prepare();
	wants_lossless = true;
	falls_behind = schedule_random(2);
	listen_to(RING_OPEN | RING_LOSSLESS);
	running = 2;
}

static void check_lossless(void)
{
	check_account();
	for (unsigned i = 0; i < shot_count; i++)
		schedule_expect(shots[i].recorded || shots[i].in_handler,
			"event %u is lost though the VM waits", i);
}

/* Guards open and close while threads fire, and an extension comes and goes. */
static uint8_t wishes_now;
static struct vmtap_object *extension;
static uint16_t extension_numbers[EVENTS];

static void prepare_registry(void)
{
	prepare();
	wishes_now = 0;
	running = 2;
	extension = NULL;
}

static void change_wishes(void)
{
	for (unsigned i = 1 + schedule_random(4); i; i--) {
		wishes_now = (uint8_t)(schedule_random(2) * RING_OPEN);
		listen_to(wishes_now);
		if (wishes_now)
			drain_rings(&drain, &client);
	}
	while (running)
		schedule_yield();
}

static void expect_guards(unsigned object, bool open)
{
	for (unsigned i = 0; i < EVENTS; i++)
		schedule_expect(!vmtap_word_stream_load(words[object][i]) == !open,
			"a guard of object %u is %s", object, open ? "closed" : "open");
}

static void load_and_unload(void)
{
	for (unsigned i = 1 + schedule_random(2); i; i--) {
		struct vmtap_object *loaded = schedule_map(NULL, sizeof(*loaded), 0, 0, -1, 0);
		*loaded = (struct vmtap_object){.size = sizeof(*loaded),
			.version = VMTAP_OBJECT_VERSION,
			.event_count = EVENTS,
			.definitions = definitions,
			.words = words[1],
			.numbers = extension_numbers,
			.providers = no_providers};
		vmtap_object_add(loaded);
		extension = loaded;
		if (i == 1 && schedule_random(2))
			break;
		vmtap_object_remove(loaded);
		extension = NULL;
		expect_guards(1, false);
		schedule_unmap(loaded, sizeof(*loaded));
	}
	running--;
}

static void run_registry(unsigned fibre)
{
	if (fibre == 0) {
		change_wishes();
	} else if (fibre == 1) {
		for (unsigned i = schedule_random(4); i; i--)
			fire(false);
		running--;
	} else {
		load_and_unload();
	}
}

static void check_registry(void)
{
	expect_guards(0, wishes_now != 0);
	expect_guards(1, wishes_now != 0 && extension);
	for (unsigned i = 0; i < shot_count; i++)
		schedule_expect(shots[i].recorded || !shots[i].arrived,
			"event %u arrives though it was not recorded", i);
}

/* Threads intern a few texts. One text is one name, or there is no room for it. */
static const struct vmtap_name *interned[NAMES];

static void prepare_interned(void)
{
	prepare();
	memset(interned, 0, sizeof(interned));
}

static void run_interned(unsigned fibre)
{
	(void)fibre;
	for (unsigned i = 2 + schedule_random(4); i; i--) {
		unsigned which = schedule_random(NAMES);
		const char *text = texts[which];
		/* shorter than the others, of which few have room */
		uint32_t length = 6 + which;
		const struct vmtap_name *name = vmtap_name_intern(text + 5, length);
		if (!strcmp(name->text, "(no room for names)"))
			continue;
		char seen[FEW_NAME_BYTES] = "";
		for (uint32_t at = 0; at < length; at++) /* as this thread sees it */
			schedule_peek(name->text + at, &seen[at], 1);
		schedule_expect(name->length == length && !memcmp(seen, text + 5, length),
			"the interned name of '%.*s' is '%s'", (int)length, text + 5, seen);
		schedule_expect(!interned[which] || interned[which] == name,
			"'%.*s' has two interned names", (int)length, text + 5);
		interned[which] = name;
	}
	schedule_end_thread();
}

static void check_interned(void)
{
}

static const struct schedule_scenario scenarios[] = {
	{"ring", 3, 0, prepare_ring, run_ring, check_account},
	{"lossless", 3, 0, prepare_lossless, run_ring, check_lossless},
	{"names", 4, 0, prepare_names, run_ring, check_account},
	{"interned", 3, 0, prepare_interned, run_interned, check_interned},
	{"registry", 3, 0, prepare_registry, run_registry, check_registry}};
static const char *const models[] = {"sc", "tso", "weak"};
enum { SCENARIOS = sizeof(scenarios) / sizeof(*scenarios), MODELS = 3 };

/* ---- main ---- */

/* The sections exist, whatever the compiler puts into them. */
__attribute__((section("survive_data"), used)) static char one_byte = 1;
__attribute__((section("survive_bss"), used)) static char another_byte = 1;
extern unsigned char __start_survive_data[], __stop_survive_data[];
extern unsigned char __start_survive_bss[], __stop_survive_bss[];

/* What the library has set up by the time that clients come. Schedules begin with it. */
static void set_up(void)
{
	schedule_begin();
	definitions[EVENT_IDLE] = vmtap_definitions[VMTAP_PROBE_GC_IDLE];
	definitions[EVENT_PAUSE] = vmtap_definitions[VMTAP_PROBE_PAUSE_BEGIN];
	if (definitions[0]->record != IDLE_BYTES || definitions[1]->record != PAUSE_BYTES) {
		fprintf(stderr,
			"schedules: the layout of records is not what this test was made for\n");
		exit(2);
	}
	name_limit(0);
	few_names(names, texts, NAMES);
	ring_set_size(0);
	ring_set_waker(SCHEDULE_WAKER);
	stamp_start(&drain_begun.clock);
	stamp_point(&drain_begun.clock);
	vmtap_object_add(&vmtap_object);
	schedule_keep_mapping(0, 512, 512); /* the table of names: its head, and the room left */
	schedule_keep(&vmtap_object, sizeof(vmtap_object));
	schedule_keep(guards, sizeof(guards));
	schedule_keep(vmtap_numbers, sizeof(*vmtap_numbers) * EVENTS);
	schedule_keep(__start_survive_data, (size_t)(__stop_survive_data - __start_survive_data));
	schedule_keep(__start_survive_bss, (size_t)(__stop_survive_bss - __start_survive_bss));
}

static bool run_all(const struct schedule_scenario *scenario, unsigned model, uint64_t seed,
	uint64_t count, bool traces)
{
	uint64_t before = schedule_points();

	for (uint64_t i = 0; i < count; i++) {
		if (schedule_run(scenario, (enum schedule_model)model, seed + i, traces))
			continue;
		printf("violation: %s, %s, seed %" PRIu64 ": %s\n", scenario->name, models[model],
			seed + i, schedule_violation());
		printf("repeat: schedules --scenario %s --model %s --seed %" PRIu64
		       " --count 1 --trace\n",
			scenario->name, models[model], seed + i);
		return false;
	}
	printf("schedules %-10s %-5s %10" PRIu64 " schedules %12" PRIu64 " points\n",
		scenario->name, models[model], count, schedule_points() - before);
	return true;
}

/* Becomes the program beside this one. */
static int run_server(char **argv)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof("-server"));

	if (length > 0) {
		strcpy(path + length, "-server");
		execv(path, argv);
	}
	perror("schedules: the program for the server");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"scenario", required_argument, NULL, 's'},
		{"model", required_argument, NULL, 'm'}, {"count", required_argument, NULL, 'c'},
		{"seed", required_argument, NULL, 'i'}, {"trace", no_argument, NULL, 't'}, {0}};
	const char *scenario = NULL, *model = NULL;
	uint64_t count = 10000, seed = 1;
	bool traces = false, any = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 's':
			scenario = optarg;
			break;
		case 'm':
			model = optarg;
			break;
		case 'c':
			count = strtoull(optarg, NULL, 10);
			break;
		case 'i':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 't':
			traces = true;
			break;
		default:
			return 2;
		}
	if (model && strcmp(model, "server") == 0)
		return run_server(argv);
	set_up();
	for (unsigned i = 0; i < SCENARIOS; i++)
		for (unsigned j = 0; j < MODELS; j++) {
			if ((scenario && strcmp(scenario, scenarios[i].name) != 0) ||
				(model && strcmp(model, models[j]) != 0))
				continue;
			any = true;
			if (!run_all(&scenarios[i], j, seed, count, traces))
				return 1;
			fflush(stdout);
		}
	if (!any)
		fprintf(stderr, "schedules: no such scenario or model\n");
	return any ? 0 : 2;
}
