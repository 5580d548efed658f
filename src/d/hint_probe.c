/*
 * hint_probe.c: tables of providers, probes' forms, system calls and words. A probe that a table
 * names exists on Linux; where it comes with newer kernels only, the table has nothing better.
 */
#include "d/hint_probe.h"

#include <stdio.h>
#include <string.h>

#include "base/pattern.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The first row whose name, a glob, matches. */
static const struct {
	const char *provider, *name, *text;
} providers[] = {
	{"vminfo", "maj_fault", "pages that are read are sdt:::mm_filemap_add_to_page_cache"},
	{"vminfo", "*fault", "page faults are sdt:::page_fault_user"},
	{"vminfo", "zfod", "page faults are sdt:::page_fault_user"},
	{"vminfo", "*pgin", "what is read is io:::start with args[0]->b_flags & B_READ"},
	{"vminfo", "*pgout", "what is written is io:::start with args[0]->b_flags & B_WRITE"},
	{"vminfo", "", "page faults are sdt:::page_fault_user, other events sdt:::mm_*"},
	{"sysinfo", "readch", "arg0 of syscall::read:return is the number of bytes"},
	{"sysinfo", "writech", "arg0 of syscall::write:return is the number of bytes"},
	{"sysinfo", "sysread", "use syscall::read:entry"},
	{"sysinfo", "syswrite", "use syscall::write:entry"},
	{"sysinfo", "sysexec", "use proc:::exec-success"},
	{"sysinfo", "sys*fork", "use proc:::create"},
	{"sysinfo", "nthreads", "use proc:::lwp-create"},
	{"sysinfo", "pswitch", "use sched:::off-cpu"},
	{"sysinfo", "inv_swtch", "use sched:::preempt"},
	{"sysinfo", "namei", "use syscall::open*:entry"},
	{"sysinfo", "trap", "page faults are sdt:::page_fault_user"},
	{"sysinfo", "cpu_ticks*", "use profile-n"},
	{"sysinfo", "mutex_adenters", "waits for locks are sdt:::contention_begin"},
	{"sysinfo", "rw_*", "waits for locks are sdt:::contention_begin"},
	{"sysinfo", "*read", "use io:::start with args[0]->b_flags & B_READ"},
	{"sysinfo", "*write", "use io:::start with args[0]->b_flags & B_WRITE"},
	{"sysinfo", "", "see the providers syscall, sched, proc and io"},
	{"lockstat", "*release", "the end of a wait for a lock is sdt:::contention_end"},
	{"lockstat", "", "waits for locks are sdt:::contention_begin and contention_end"},
	{"plockstat", "", "waits for locks of programs are syscall::futex:entry and return"},
	{"tcp", "send", "use fbt::tcp_sendmsg:entry"},
	{"tcp", "receive", "use fbt::tcp_recvmsg:return"},
	{"tcp", "accept-refused", "use sdt:::tcp_send_reset"},
	{"tcp", "connect-refused", "use sdt:::tcp_receive_reset"},
	{"tcp", "", "changes of a connection's state are sdt:::inet_sock_set_state"},
	{"udp", "receive", "use fbt::udp_recvmsg:return"},
	{"udp", "", "use fbt::udp_sendmsg:entry"},
	{"ip", "receive", "packets that come in are sdt:::netif_receive_skb"},
	{"ip", "", "packets that go out are sdt:::net_dev_queue"},
	{"fsinfo", "read", "use syscall::read:entry with fds[arg0].fi_pathname"},
	{"fsinfo", "write", "use syscall::write:entry with fds[arg0].fi_pathname"},
	{"fsinfo", "", "use the system calls, with fds[arg0].fi_pathname, or fbt::vfs_*:entry"},
	{"mib", "tcpRetrans*", "use sdt:::tcp_retransmit_skb"},
	{"mib", "", "network tracepoints are sdt:::tcp_*, sdt:::udp_* and sdt:::kfree_skb"},
	{"nfsv3", "", "use fbt:nfsd::entry"},
	{"nfsv4", "", "use fbt:nfsd::entry"},
	{"cpc", "", "counters of processors cannot be traced; profile-n samples by time"},
	{"rawtp", "", "tracepoints are sdt:::NAME"},
	{"rawfbt", "", "functions are fbt::NAME:entry and return"},
};

/*
 * bpftrace's words for a kind of probe, how the last part must begin, and D's form; %s is the rest
 * of the last part. System calls are tracepoints there.
 */
static const struct {
	const char *word, *name, *form;
} forms[] = {
	{"kprobe", "", "fbt::%s:entry"},
	{"kretprobe", "", "fbt::%s:return"},
	{"kfunc", "", "fbt::%s:entry"},
	{"kretfunc", "", "fbt::%s:return"},
	{"fentry", "", "fbt::%s:entry"},
	{"fexit", "", "fbt::%s:return"},
	{"tracepoint", "sys_enter_", "syscall::%s:entry"},
	{"tracepoint", "sys_exit_", "syscall::%s:return"},
	{"tracepoint", "", "sdt:::%s"},
	{"rawtracepoint", "", "sdt:::%s"},
	{"uprobe", "", "pid$target:a.out:%s:entry"},
	{"uretprobe", "", "pid$target:a.out:%s:return"},
	{"usdt", "", "PROVIDER$target:::%s"},
};

/* Those with a unit and a number. */
static const struct {
	const char *word, *prefix;
} timers[] = {{"profile", "profile"}, {"interval", "tick"}};

/* Of a system call, the name is the probe's function. */
static const struct {
	const char *provider, *other, *name;
} renamed[] = {
	{"syscall", "forksys", "clone*"},
	{"syscall", "rexit", "exit_group"},
	{"syscall", "exece", "execve"},
	{"syscall", "open64", "open*"},
	{"syscall", "creat64", "creat"},
	{"syscall", "mmap64", "mmap"},
	{"syscall", "lseek64", "lseek"},
	{"sdt", "interrupt-start", "irq_handler_entry"},
	{"sdt", "interrupt-complete", "irq_handler_exit"},
	{"sdt", "callout-start", "timer_expire_entry"},
	{"sdt", "callout-end", "timer_expire_exit"},
};

/* Words that say the same at the end of a probe's name. */
static const char *const words[][10] = {
	{"entry", "enter", "begin", "start", "call", "issue"},
	{"return", "exit", "leave", "end", "done", "complete", "completion", "finish", "stop"},
};

const char *d_hint_provider(const char *provider, const char *name, char *text, size_t size)
{
	size_t length = strlen(provider);

	/* the only one whose name ends in a pid; those of nfs end in a digit of their own */
	if (!strncmp(provider, "plockstat", strlen("plockstat")))
		length = strcspn(provider, "0123456789");
	for (size_t i = 0; i < COUNT(providers); i++) {
		if (strlen(providers[i].provider) != length ||
			strncmp(providers[i].provider, provider, length) != 0 ||
			(*providers[i].name && !pattern_match(providers[i].name, name)))
			continue;
		snprintf(text, size, " (vmtap has no provider %s: %s)", providers[i].provider,
			providers[i].text);
		return text;
	}
	return "";
}

const char *d_hint_foreign(const char *const parts[4], char *text, size_t size)
{
	const char *word = *parts[0] ? "" : *parts[1] ? parts[1] : parts[2];
	const char *name = *parts[3] ? parts[3] : "NAME", *hole;

	for (size_t i = 0; i < COUNT(timers); i++)
		if (word == parts[1] && !strcmp(timers[i].word, word) && *parts[3] &&
			strspn(parts[3], "0123456789") == strlen(parts[3])) {
			snprintf(text, size, " (D has %s-%.20s%.20s)", timers[i].prefix, parts[3],
				parts[2]);
			return text;
		}
	for (size_t i = 0; i < COUNT(forms); i++) {
		if (strcmp(forms[i].word, word) != 0 ||
			strncmp(name, forms[i].name, strlen(forms[i].name)) != 0)
			continue;
		name += strlen(forms[i].name);
		hole = strstr(forms[i].form, "%s");
		snprintf(text, size, " (D has %.*s%.60s%s)", (int)(hole - forms[i].form),
			forms[i].form, name, hole + 2);
		return text;
	}
	return "";
}

const char *d_hint_renamed(const char *provider, const char *function, const char *name)
{
	for (size_t i = 0; i < COUNT(renamed); i++)
		if (!strcmp(renamed[i].provider, provider) &&
			!strcmp(renamed[i].other,
				strcmp(provider, "syscall") == 0 ? function : name))
			return renamed[i].name;
	return NULL;
}

static bool is_one_of(const char *const *row, size_t count, const char *word)
{
	for (size_t i = 0; i < count && row[i]; i++)
		if (!strcmp(row[i], word))
			return true;
	return false;
}

/* Where the last word of a name begins. */
static const char *last_word(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash ? dash + 1 : name;
}

bool d_hint_is_synonym(const char *name, const char *known)
{
	const char *one = last_word(name), *other = last_word(known);

	if (one - name != other - known || strncmp(name, known, (size_t)(one - name)) != 0 ||
		!strcmp(one, other))
		return false;
	for (size_t i = 0; i < COUNT(words); i++)
		if (is_one_of(words[i], COUNT(words[i]), one) &&
			is_one_of(words[i], COUNT(words[i]), other))
			return true;
	return false;
}
