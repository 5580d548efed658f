/* lua_change.c: see lua_change.h. */
#include "modules/lua/lua_change.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "modules/lua/lua_dump.h"
#include "modules/lua/lua_hook.h"

/* Ignored unless somebody handles it, so that it harms nobody who gets it too late. */
enum { SIGNAL = SIGURG, LOOK_MS = 100 };

pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;
static struct traced_state *all; /* under change_lock */
__thread struct traced_state *change_own;

static struct sigaction before; /* the program's */
static bool is_open;

/* ---- the list ---- */

struct traced_state *change_first(void)
{
	return all;
}

struct traced_state *change_search(const void *registry)
{
	struct traced_state *state;

	pthread_mutex_lock(&change_lock);
	for (state = all; state && state->registry != registry; state = state->next_of_all)
		;
	pthread_mutex_unlock(&change_lock);
	return state;
}

void change_add(struct traced_state *state)
{
	pthread_mutex_lock(&change_lock);
	state->next_of_all = all;
	all = state;
	pthread_mutex_unlock(&change_lock);
	state->next = change_own;
	__atomic_store_n(&change_own, state, __ATOMIC_RELEASE);
}

bool change_remove(struct traced_state *state)
{
	struct traced_state **slot, **here;

	for (here = &change_own; *here && *here != state; here = &(*here)->next)
		;
	if (*here)
		__atomic_store_n(here, state->next, __ATOMIC_RELEASE);
	pthread_mutex_lock(&change_lock);
	for (slot = &all; *slot && *slot != state; slot = &(*slot)->next_of_all)
		;
	if (*slot)
		*slot = state->next_of_all;
	state->registry = NULL;
	pthread_mutex_unlock(&change_lock);
	return state->thread_mark == &state_thread_mark;
}

/* ---- from vmtap's thread to the states' ---- */

/* Has the state's OS thread run its signal handler. */
static void interrupt(const struct traced_state *state)
{
	if (!state->is_moved)
		syscall(SYS_tgkill, getpid(), state->os_thread, SIGNAL);
}

static void changed(void *context)
{
	(void)context;
	pthread_mutex_lock(&change_lock);
	for (struct traced_state *state = all; state; state = state->next_of_all) {
		__atomic_store_n(&state->changed, 1, __ATOMIC_RELEASE);
		interrupt(state);
	}
	pthread_mutex_unlock(&change_lock);
}

void change_notify(void)
{
	for (struct traced_state *state = all; state; state = state->next_of_all) {
		__atomic_store_n(&state->is_due, 1, __ATOMIC_RELEASE);
		interrupt(state);
	}
}

void change_sample(void)
{
	pthread_mutex_lock(&change_lock);
	change_notify();
	pthread_mutex_unlock(&change_lock);
}

void change_due(void *context)
{
	(void)context;
	for (struct traced_state *state = change_own; state; state = state->next)
		if (!state->is_closed && !state->is_moved) {
			__atomic_store_n(&state->is_due, 1, __ATOMIC_RELEASE);
			hook_arm(state);
		}
}

static void handle(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	for (struct traced_state *state = change_own; state; state = state->next)
		if (!state->is_closed && !state->is_moved &&
			(__atomic_load_n(&state->changed, __ATOMIC_RELAXED) ||
				__atomic_load_n(&state->is_due, __ATOMIC_RELAXED)))
			hook_arm(state);
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(number);
	errno = saved;
}

/* ---- fork ---- */

static void fork_prepare(void)
{
	pthread_mutex_lock(&change_lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&change_lock);
}

/* Nobody listens to the child, except for tracers in the kernel. */
static void fork_child(void)
{
	for (struct traced_state *state = all; state; state = state->next_of_all)
		state->is_moved = true;
	for (struct traced_state *state = change_own; state; state = state->next) {
		state->is_moved = false;
		state->os_thread = (pid_t)syscall(SYS_gettid);
		__atomic_store_n(&state->changed, 1, __ATOMIC_RELAXED);
	}
	dump_fork_child();
	pthread_mutex_unlock(&change_lock);
}

int change_open(void)
{
	struct vmtap_change_options options = {
		.size = sizeof(options), .changed = changed, .look_ms = LOOK_MS};
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_RESTART | SA_SIGINFO};

	if (is_open)
		return 0;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGNAL, NULL, &before) || sigaction(SIGNAL, &action, NULL))
		return -errno;
	is_open = true;
	pthread_atfork(fork_prepare, fork_parent, fork_child);
	return vmtap_on_change(&options);
}
