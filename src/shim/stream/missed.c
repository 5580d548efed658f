/*
 * missed.c: see missed.h. Each follower is published by one store, when it is complete. Counts
 * reach the parent through shared memory, which is changed only by atomic operations.
 */
#include "shim/stream/missed.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/core/budget.h"
#include "shim/stream/awaited.h"

enum {
	LIMIT_MS = 10000, /* for a client that connects after the parent's stream has ended */
	LATER_TYPES = EVENTS_MAX /* counts of types that the parent does not know */
};

/* Counts that children pass on to one client. */
struct missed_account {
	_Atomic uint32_t owner; /* the follower's number; 0: it has no owner */
	_Atomic bool any;
	_Atomic uint64_t counts[EVENTS_MAX + 1];
};

/* A client that follows children. It is published when complete; a child changes only its own
 * copy. */
struct missed_follower {
	const struct client *client;
	pid_t process;
	uint32_t number, tag;
	struct missed_account *account; /* shared memory */
	uint32_t types; /* how many event types the parent and this process have in common */
	struct client_terms terms;
	uint64_t counts[EVENTS_MAX]; /* not passed on yet */
};

/* The followers of this process, those of its parent, and those of the latter for whom this process
 * counts. */
static struct missed_follower *_Atomic missed_own[AWAITED_MAX],
	*_Atomic missed_inherited[AWAITED_MAX], *_Atomic left[AWAITED_MAX];
/* Shared with children; NULL: not mapped yet. One for each follower. */
static struct missed_account *_Atomic accounts;
static uint32_t numbered;
static _Atomic bool counting;
static uint64_t until; /* CLOCK_MONOTONIC */

/* ---- in the parent ---- */

static struct missed_account *map_accounts(void)
{
	struct missed_account *mapped = atomic_load(&accounts);

	if (mapped)
		return mapped;
	mapped = mmap(NULL, AWAITED_MAX * sizeof(*mapped), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	atomic_store(&accounts, mapped);
	return mapped;
}

static void forget(struct missed_follower *_Atomic *place)
{
	struct missed_follower *follower = atomic_exchange(place, NULL);

	budget_unmap(follower, sizeof(*follower));
}

/* Notes a follower, or its new terms. */
static void note(struct client *client, unsigned at, struct missed_account *account)
{
	struct missed_follower *before = atomic_load(&missed_own[at]), *follower;

	follower = budget_map(BUDGET_CLIENT, sizeof(*follower), 0);
	if (!follower)
		return;
	follower->client = client;
	follower->process = awaited_peer(client);
	follower->number = before ? before->number : ++numbered;
	follower->tag = client->tag;
	follower->account = account;
	follower->types = client->terms.known_types;
	follower->terms = client->terms;
	if (!before) {
		for (unsigned i = 0; i <= LATER_TYPES; i++)
			atomic_store(&account->counts[i], 0);
		atomic_store(&account->owner, follower->number);
	}
	atomic_store(&missed_own[at], follower);
	if (before)
		budget_unmap(before, sizeof(*before));
}

static struct client *client_of(struct client *clients, const struct missed_follower *follower)
{
	for (; clients; clients = clients->next)
		if (clients == follower->client && client_follows(clients))
			return clients;
	return NULL;
}

static void note_client(struct client *client, struct missed_account *mapped)
{
	int place = -1;

	for (int i = 0; i < AWAITED_MAX; i++) {
		const struct missed_follower *follower = atomic_load(&missed_own[i]);
		if (follower && follower->client == client) {
			if (follower->tag != client->tag ||
				follower->types != client->terms.known_types)
				note(client, (unsigned)i, &mapped[i]);
			return;
		}
		if (!follower && place < 0)
			place = i;
	}
	if (place >= 0)
		note(client, (unsigned)place, &mapped[place]);
}

void missed_note_followers(struct client *clients)
{
	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		const struct missed_follower *follower = atomic_load(&missed_own[i]);
		if (!follower || client_of(clients, follower))
			continue;
		atomic_store(&follower->account->owner, 0);
		forget(&missed_own[i]);
	}
	for (struct client *client = clients; client; client = client->next) {
		struct missed_account *mapped = client_follows(client) ? map_accounts() : NULL;
		if (mapped)
			note_client(client, mapped);
	}
}

/* Returns an event type that the client knows, because losses are reported by type. */
static uint32_t any_type(const struct client *client)
{
	for (uint32_t i = 0; i < client->terms.known_types; i++)
		if (client->terms.wanted[i])
			return i;
	return CLIENT_ENDS;
}

void missed_report(struct client *clients, uint64_t time)
{
	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		const struct missed_follower *follower = atomic_load(&missed_own[i]);
		struct client *client;
		if (!follower || !atomic_load(&follower->account->any))
			continue;
		client = client_of(clients, follower);
		if (!client || !atomic_exchange(&follower->account->any, false))
			continue;
		for (uint32_t type = 0; type <= LATER_TYPES; type++)
			client_lose(client, type < LATER_TYPES ? type : any_type(client),
				atomic_exchange(&follower->account->counts[type], 0), time);
	}
}

/* ---- in the child ---- */

static void missed_inherit(struct missed_follower *follower, uint32_t types, bool is_nested)
{
	if (types < follower->types)
		follower->types = types;
	if (is_nested)
		follower->process = AWAITED_UNKNOWN;
	for (unsigned i = 0; i < AWAITED_MAX; i++)
		if (!atomic_load(&missed_inherited[i])) {
			atomic_store(&missed_inherited[i], follower);
			return;
		}
}

void missed_fork_child(void)
{
	/* the parent is in another pid namespace, where processes have other numbers */
	bool is_nested = !getppid();

	/* what a parent has inherited and not used, since it serves no stream, stays inherited */
	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		struct missed_follower *mine = atomic_exchange(&missed_own[i], NULL);
		struct missed_follower *missing = atomic_exchange(&left[i], NULL);
		if (mine)
			missed_inherit(mine, event_count(), is_nested);
		if (missing) {
			memset(missing->counts, 0, sizeof(missing->counts));
			missed_inherit(missing, missing->types, is_nested);
		}
	}
	atomic_store(&accounts, NULL);
	atomic_store(&counting, false);
}

void missed_begin(void)
{
	bool any = false;

	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		struct missed_follower *follower = atomic_exchange(&missed_inherited[i], NULL);
		atomic_store(&left[i], follower);
		any |= follower != NULL;
	}
	until = clock_monotonic() + LIMIT_MS * UINT64_C(1000000);
	atomic_store(&counting, any);
}

bool missed_any(void)
{
	return atomic_load(&counting);
}

/* Forgets a follower for whom nothing is counted any more. */
static void settle(unsigned at)
{
	bool any = false;

	forget(&left[at]);
	for (unsigned i = 0; i < AWAITED_MAX; i++)
		any |= atomic_load(&left[i]) != NULL;
	if (!any)
		atomic_store(&counting, false);
}

/* Passes the counts on. Returns false if the follower is no longer a client of the parent. */
static bool missed_pass_on(struct missed_follower *follower)
{
	struct missed_account *account = follower->account;
	bool any = false;

	if (atomic_load(&account->owner) != follower->number)
		return false;
	for (uint32_t i = 0; i < event_count(); i++) {
		uint64_t count = follower->counts[i];
		if (!count)
			continue;
		follower->counts[i] = 0;
		atomic_fetch_add(&account->counts[i < follower->types ? i : LATER_TYPES], count);
		any = true;
	}
	if (any)
		atomic_store(&account->any, true);
	return true;
}

bool missed_check(void)
{
	bool is_late = missed_any() && clock_monotonic() >= until, ended = false;

	for (unsigned i = 0; i < AWAITED_MAX && missed_any(); i++) {
		struct missed_follower *follower = atomic_load(&left[i]);
		bool is_passed;
		if (!follower)
			continue;
		is_passed = missed_pass_on(follower);
		if ((!is_passed && is_late) ||
			(follower->process > 0 && kill(follower->process, 0) && errno == ESRCH)) {
			settle(i);
			ended = true;
		}
	}
	return ended;
}

void missed_end(void)
{
	for (unsigned i = 0; i < AWAITED_MAX; i++)
		if (atomic_load(&left[i])) {
			missed_pass_on(atomic_load(&left[i]));
			settle(i);
		}
}

/* Returns true if a follower requests events of a type. */
static bool wants(struct missed_follower *follower, uint32_t event)
{
	if (event >= follower->terms.known_types)
		client_terms_take_types(&follower->terms);
	return follower->terms.wanted[event];
}

bool missed_wants(uint32_t event)
{
	for (unsigned i = 0; i < AWAITED_MAX && missed_any(); i++) {
		struct missed_follower *follower = atomic_load(&left[i]);
		if (follower && wants(follower, event))
			return true;
	}
	return false;
}

bool missed_awaits_types(void)
{
	for (unsigned i = 0; i < AWAITED_MAX && missed_any(); i++) {
		const struct missed_follower *follower = atomic_load(&left[i]);
		if (follower && client_terms_await_types(&follower->terms))
			return true;
	}
	return false;
}

void missed_count(uint32_t event, uint64_t count)
{
	if (!count || !missed_any())
		return;
	for (unsigned i = 0; i < AWAITED_MAX; i++) {
		struct missed_follower *follower = atomic_load(&left[i]);
		if (follower && wants(follower, event))
			follower->counts[event] += count;
	}
}

void missed_tell(struct client *client, uint64_t time)
{
	pid_t process = missed_any() ? awaited_peer(client) : 0;

	for (unsigned i = 0; i < AWAITED_MAX && missed_any(); i++) {
		const struct missed_follower *follower = atomic_load(&left[i]);
		if (!follower || (follower->process != process && process != AWAITED_UNKNOWN))
			continue;
		client->was_missing = true;
		for (uint32_t type = 0; type < event_count(); type++)
			client_lose(client, type, follower->counts[type], time);
		settle(i);
	}
}
