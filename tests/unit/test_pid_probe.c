/*
 * test_pid_probe.c: what can be probed in programs that are built here and run, by gcc and clang,
 * with and without fixed addresses, static and stripped; in Debian's libc; and that the kernel
 * counts what the program does at these places.
 */
#include "base/pattern.h"
#include "usdt/code/pid_probe.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "unit_main.h"
#include "usdt/code/code_object.h"
#include "usdt/code/pid_return.h"

static const char source[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <pthread.h>\n"
	"#define APART __attribute__((noinline, noclone))\n"
	"APART int work(int x) { if (x > 5) return x * 3; __asm__ volatile(\"nop\"); return x; }\n"
	"extern __typeof(work) __work __attribute__((alias(\"work\")));\n"
	"extern __typeof(work) a_weak_name __attribute__((weak, alias(\"work\")));\n"
	"static __typeof(work) a_local_name __attribute__((alias(\"work\"), used));\n"
	"__attribute__((cold, noinline)) void complain(int x) { printf(\"%d\\n\", x); }\n"
	"APART int rare(int x) { if (__builtin_expect(x == 99, 0)) { complain(x); complain(x + 1);"
	" x = work(x); } return work(x) + 1; }\n"
	"APART int last(int x) { return work(x + 1); }\n"
	"APART void leave(void) { pthread_exit(0); }\n"
	"int main(int count, char **names) { char line[16]; int sum = 0; (void)names;\n"
	" if (count > 7) leave();\n"
	" printf(\"%p %p %p\\n\", (void *)main, (void *)work, (void *)malloc); fflush(stdout);\n"
	" while (fgets(line, sizeof(line), stdin)) {\n"
	"  for (int i = 0; i < 100; i++) sum += work(i % 10) + last(i) + rare(i % 7 ? 1 : 99);\n"
	"  fprintf(stderr, \"%d\", sum); puts(\"done\"); fflush(stdout); }\n"
	" return 0; }\n";

static char folder[64];

struct program {
	pid_t pid;
	FILE *to, *from;
	unsigned long long main, work, malloc;
};

/* A program's text up to a line "done". */
static void wait_for(struct program *program)
{
	char line[64];

	do
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), program->from));
	while (strcmp(line, "done\n") != 0);
}

static void start(struct program *program, const char *path)
{
	int to[2], from[2];

	ck_assert_int_eq(pipe2(to, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(from, O_CLOEXEC), 0);
	program->pid = fork();
	if (program->pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		dup2(open("/dev/null", O_WRONLY), 2);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	program->to = fdopen(to[1], "w");
	program->from = fdopen(from[0], "r");
	ck_assert_int_eq(fscanf(program->from, "%llx %llx %llx", &program->main, &program->work,
				 &program->malloc),
		3);
}

static void end(struct program *program)
{
	int status;

	fclose(program->to);
	fclose(program->from);
	ck_assert_int_eq(waitpid(program->pid, &status, 0), program->pid);
	ck_assert_int_eq(status, 0);
}

/* Builds the program; false: this compiler is not there. */
static bool build(const char *compiler, const char *flags, const char *text, const char *path)
{
	char command[512], file[128];
	FILE *stream;

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", compiler);
	if (system(command) != 0)
		return false;
	snprintf(file, sizeof(file), "%s/program.c", folder);
	stream = fopen(file, "w");
	fputs(text, stream);
	fclose(stream);
	snprintf(command, sizeof(command), "%s -O2 -w %s -o %s %s -pthread", compiler, flags, path,
		file);
	ck_assert_msg(system(command) == 0, "%s", command);
	return true;
}

static int find(struct pid_finder *finder, const char *module, const char *function,
	const char *name, struct pid_list *list, struct error *error)
{
	struct pid_pattern pattern = {module, function, name};

	*list = (struct pid_list){0};
	error->text[0] = '\0';
	return pid_find(finder, &pattern, list, error);
}

/* Finds the only probe that matches. */
static struct pid_probe find_one(struct pid_finder *finder, const char *module,
	const char *function, const char *name, struct pid_list *list)
{
	struct error error;

	ck_assert_msg(find(finder, module, function, name, list, &error) == 0, "%s:%s:%s: %s",
		module, function, name, error.text);
	ck_assert_msg(list->count == 1, "%s:%s:%s: %zu", module, function, name, list->count);
	return list->probes[0];
}

/* The bytes of the file at the probe are those in memory. */
static void check_bytes(pid_t pid, const struct pid_probe *probe)
{
	uint8_t memory[8] = {0}, file[8] = {1};
	char path[64];
	int descriptor;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(pread(descriptor, memory, sizeof(memory), (off_t)probe->place.address), 8);
	ck_assert_int_eq(
		pread(probe->module->file, file, sizeof(file), (off_t)probe->place.offset), 8);
	ck_assert_mem_eq(memory, file, sizeof(memory));
	close(descriptor);
}

static const struct {
	const char *compiler, *flags;
	bool is_static, is_stripped;
} builds[] = {
	{"gcc", "-no-pie", false, false},
	{"gcc", "-pie -fPIE", false, false},
	{"gcc", "-static", true, false},
	{"gcc", "-rdynamic -s -pie -fPIE", false, true},
	{"gcc", "-fcf-protection -O1", false, false},
	{"clang", "-no-pie", false, false},
	{"clang", "-pie -fPIE -fuse-ld=lld", false, false},
	{"clang", "-rdynamic -s", false, true},
};

START_TEST(test_builds)
{
	struct pid_finder *finder;
	struct program program;
	struct pid_probe probe;
	struct pid_list list;
	struct error error;
	char path[128];

	snprintf(path, sizeof(path), "%s/program%d", folder, _i);
	if (!build(builds[_i].compiler, builds[_i].flags, source, path)) {
		printf("left out: a program of %s: not installed\n", builds[_i].compiler);
		return;
	}
	start(&program, path);
	ck_assert_msg(pid_finder_new(program.pid, &finder, &error) == 0, "%s", error.text);

	/* the module in each of its forms */
	probe = find_one(finder, "a.out", "main", "entry", &list);
	ck_assert_uint_eq(probe.place.address, program.main);
	ck_assert_str_eq(probe.module->name, strrchr(path, '/') + 1);
	ck_assert(probe.module->is_executable && !probe.refusal && probe.point == PID_ENTRY);
	check_bytes(program.pid, &probe);
	pid_list_free(&list);
	find_one(finder, probe.module->name, "main", "entry", &list);
	pid_list_free(&list);
	find_one(finder, path, "main", "entry", &list);
	pid_list_free(&list);
	find_one(finder, "prog*", "mai?", "entr*", &list);
	pid_list_free(&list);

	/* all names of a function are one */
	probe = find_one(finder, "a.out", "__work", "entry", &list);
	ck_assert_str_eq(probe.function, "work");
	ck_assert_uint_eq(probe.place.address, program.work);
	pid_list_free(&list);
	find_one(finder, "a.out", "*wo[r]k", "entry", &list);
	pid_list_free(&list);
	probe = find_one(finder, "a.out", "a_weak_name", "return", &list);
	ck_assert_str_eq(probe.function, "work");
	ck_assert_int_eq(probe.point, PID_RETURN);
	pid_list_free(&list);

	/* every offset, and only those */
	ck_assert_int_eq(find(finder, "a.out", "work", "", &list, &error), 0);
	ck_assert_uint_gt(list.count, 4);
	ck_assert_str_eq(list.probes[0].name, "entry");
	ck_assert_str_eq(list.probes[1].name, "return");
	ck_assert_str_eq(list.probes[2].name, "0");
	for (size_t i = 2; i < list.count; i++) {
		ck_assert_int_eq(list.probes[i].point, PID_OFFSET);
		ck_assert_uint_eq(list.probes[i].place.address,
			program.work + list.probes[i].place.in_function);
		if (list.probes[i].kind != CODE_REFUSED)
			ck_assert_ptr_null(list.probes[i].refusal);
		check_bytes(program.pid, &list.probes[i]);
	}
	for (size_t i = 2; i + 1 < list.count; i++) {
		uint64_t from = list.probes[i].place.in_function,
			 to = list.probes[i + 1].place.in_function;

		for (uint64_t offset = from + 1; offset < to; offset++) {
			struct pid_list other;
			char name[20], expected[20];

			snprintf(name, sizeof(name), "%llx", (unsigned long long)offset);
			snprintf(expected, sizeof(expected), "offset %llx",
				(unsigned long long)from);
			probe = find_one(finder, "a.out", "work", name, &other);
			ck_assert_ptr_nonnull(strstr(probe.refusal, "in the middle"));
			ck_assert_ptr_nonnull(strstr(probe.refusal, expected));
			pid_list_free(&other);
		}
	}
	pid_list_free(&list);
	probe = find_one(finder, "a.out", "work", "ffff", &list);
	ck_assert_ptr_nonnull(strstr(probe.refusal, "bytes long"));
	pid_list_free(&list);

	/* absolute addresses */
	snprintf(path, sizeof(path), "%llx", program.work);
	probe = find_one(finder, "", "-", path, &list);
	ck_assert_str_eq(probe.function, "-");
	ck_assert_str_eq(probe.name, path);
	ck_assert_uint_eq(probe.place.address, program.work);
	ck_assert_ptr_null(probe.refusal);
	pid_list_free(&list);
	ck_assert_int_eq(find(finder, "", "-", "10", &list, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.text, "no file is mapped as code at address 0x10"));

	if (!builds[_i].is_static) {
		probe = find_one(finder, "libc", "malloc", "entry", &list);
		ck_assert_str_eq(probe.module->name, "libc.so.6");
		ck_assert_uint_eq(probe.place.address, program.malloc);
		check_bytes(program.pid, &probe);
		pid_list_free(&list);
	}
	pid_finder_free(finder);
	fputs("go\n", program.to);
	fflush(program.to);
	wait_for(&program);
	end(&program);
}
END_TEST

/* Begins to count the hits of a breakpoint; -1: not permitted. */
static int count_hits(pid_t pid, const struct pid_module *module, const struct pid_place *place)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	struct perf_event_attr attributes = {.size = sizeof(attributes)};
	char path[64];
	int type;

	if (!file)
		return -1;
	ck_assert_int_eq(fscanf(file, "%d", &type), 1);
	fclose(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", module->file);
	attributes.type = (unsigned)type;
	attributes.config1 = (uintptr_t)path;
	attributes.config2 = place->offset;
	return (int)syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t take_hits(int descriptor)
{
	uint64_t hits;

	ck_assert_int_eq(read(descriptor, &hits, sizeof(hits)), sizeof(hits));
	return hits;
}

/* Breakpoints at all places of three functions: the program is unharmed and the hits are right. */
START_TEST(test_kernel)
{
	static const char *const compilers[] = {"gcc", "clang"};
	static const struct {
		const char *function;
		uint64_t calls;
	} cases[] = {{"work", 315}, {"last", 100}, {"rare", 100}};
	struct pid_finder *finder;
	struct program program;
	struct pid_list lists[3];
	int events[512];
	size_t count = 0, next = 0;
	struct error error;
	char path[128];

	snprintf(path, sizeof(path), "%s/kernel%d", folder, _i);
	if (!build(compilers[_i], "-pie -fPIE", source, path)) {
		printf("left out: breakpoints in a program of %s: not installed\n", compilers[_i]);
		return;
	}
	start(&program, path);
	ck_assert_int_eq(pid_finder_new(program.pid, &finder, &error), 0);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(
			find(finder, "a.out", cases[i].function, "", &lists[i], &error), 0);
		for (size_t j = 0; j < lists[i].count; j++) {
			const struct pid_probe *probe = &lists[i].probes[j];
			size_t sites = probe->site_count ? probe->site_count : 1;

			/* the program imports pthread_exit(), so returns have sites of their own */
			ck_assert((probe->point == PID_RETURN) == (probe->site_count > 0));
			for (size_t k = 0; k < sites && !probe->refusal; k++) {
				ck_assert_uint_lt(count, 512);
				events[count] = count_hits(program.pid, probe->module,
					probe->site_count ? &probe->sites[k] : &probe->place);
				if (events[count] < 0) {
					printf("left out: breakpoints: %s\n", strerror(errno));
					kill(program.pid, SIGKILL);
					return;
				}
				count++;
			}
		}
	}
	fputs("go\n", program.to);
	fflush(program.to);
	wait_for(&program);
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < lists[i].count; j++) {
			const struct pid_probe *probe = &lists[i].probes[j];
			size_t sites = probe->site_count ? probe->site_count : 1;
			uint64_t hits = 0;

			for (size_t k = 0; k < sites && !probe->refusal; k++)
				hits += take_hits(events[next++]);
			if (probe->point != PID_OFFSET)
				ck_assert_msg(hits == cases[i].calls, "%s:%s: %llu hits",
					probe->function, probe->name, (unsigned long long)hits);
		}
		pid_list_free(&lists[i]);
	}
	for (size_t i = 0; i < count; i++)
		close(events[i]);
	pid_finder_free(finder);
	end(&program);
}
END_TEST

/* Programs in which a return address must stay what it is. */
static const struct {
	const char *compiler, *text;
	const char *caveat;
	uint64_t calls, returns;
} leavers[] = {
	{"g++ -x c++",
		"#include <cstdio>\n#include <cstdlib>\n#define APART __attribute__((noinline))\n"
		"APART int thrower(int x) { if (x) throw 5; return 1; }\n"
		"extern \"C\" APART int middle(int x) { int r = thrower(x); asm volatile(\"\");"
		" return r + 1; }\n"
		"int main() { char line[16]; int caught = 0;\n"
		" printf(\"%p %p %p\\n\", (void *)main, (void *)middle, (void *)malloc);"
		" fflush(stdout);\n"
		" if (!fgets(line, sizeof(line), stdin)) return 1;\n"
		" for (int i = 0; i < 10; i++) try { middle(i % 2); } catch (int) { caught++; }\n"
		" puts(\"done\"); return caught != 5; }\n",
		"exception", 10, 5},
	{"gcc",
		"#include <stdio.h>\n#include <stdlib.h>\n#include <ucontext.h>\n"
		"static ucontext_t one, other; static char stack[65536]; static int turns;\n"
		"__attribute__((noinline)) int middle(ucontext_t *from, ucontext_t *to)"
		" { swapcontext(from, to); __asm__ volatile(\"\"); return 0; }\n"
		"static void turn(void) { for (;;) { turns++; middle(&other, &one); } }\n"
		"int main(void) { char line[16];\n"
		" printf(\"%p %p %p\\n\", (void *)main, (void *)middle, (void *)malloc);"
		" fflush(stdout);\n"
		" if (!fgets(line, sizeof(line), stdin)) return 1;\n"
		" getcontext(&other); other.uc_stack.ss_sp = stack;"
		" other.uc_stack.ss_size = sizeof(stack);\n"
		" makecontext(&other, turn, 0); for (int i = 0; i < 5; i++) middle(&one, &other);\n"
		" puts(\"done\"); return turns != 5; }\n",
		"switches stacks", 10, 9},
	{"gcc",
		"#include <stdio.h>\n#include <stdlib.h>\n"
		"__attribute__((section(\".gopclntab\"), used)) static const int table = 1;\n"
		"__attribute__((noinline)) int middle(int x) { __asm__ volatile(\"\"); return x; "
		"}\n"
		"int main(void) { char line[16];\n"
		" printf(\"%p %p %p\\n\", (void *)main, (void *)middle, (void *)malloc);"
		" fflush(stdout);\n"
		" if (!fgets(line, sizeof(line), stdin)) return 1;\n"
		" middle(3); puts(\"done\"); return 0; }\n",
		"Go", 1, 1},
};

START_TEST(test_leavers)
{
	struct pid_finder *finder;
	struct program program;
	struct pid_list list;
	struct error error;
	int entry, returns[8] = {0};
	uint64_t hits = 0;
	char path[128];

	snprintf(path, sizeof(path), "%s/leaver%d", folder, _i);
	ck_assert(build(leavers[_i].compiler, "-O1", leavers[_i].text, path));
	start(&program, path);
	ck_assert_int_eq(pid_finder_new(program.pid, &finder, &error), 0);
	ck_assert_int_eq(find(finder, "a.out", "middle", "*e[nt]*", &list, &error), 0);
	ck_assert_uint_ge(list.count, 2);
	ck_assert_str_eq(list.probes[1].name, "return");
	ck_assert_ptr_null(list.probes[1].refusal);
	ck_assert_ptr_nonnull(strstr(list.probes[1].caveat, leavers[_i].caveat));
	ck_assert(list.probes[1].site_count > 0 && list.probes[1].site_count <= 8);
	entry = count_hits(program.pid, list.probes[0].module, &list.probes[0].place);
	for (size_t i = 0; i < list.probes[1].site_count; i++)
		returns[i] =
			count_hits(program.pid, list.probes[1].module, &list.probes[1].sites[i]);
	fputs("go\n", program.to);
	fflush(program.to);
	wait_for(&program);
	if (entry >= 0) {
		ck_assert_uint_eq(take_hits(entry), leavers[_i].calls);
		for (size_t i = 0; i < list.probes[1].site_count; i++)
			hits += take_hits(returns[i]);
		ck_assert_uint_eq(hits, leavers[_i].returns);
	}
	pid_list_free(&list);
	pid_finder_free(finder);
	end(&program);
}
END_TEST

START_TEST(test_messages)
{
	static const struct {
		const char *module, *function, *name;
		int result;
		const char *text;
	} cases[] = {
		{"libx", "f", "entry", -ENOENT, "has not mapped libx"},
		{"libc.so.1", "malloc", "entry", -ENOENT, "libc.so.1 (did you mean libc.so.6?)"},
		{"libc", "mallocc", "entry", -ENOENT,
			"no function mallocc in libc.so.6 (did you mean malloc?)"},
		{"libc", "zz*zz", "entry", -ENOENT, "no function of libc.so.6 matches"},
		{"libc", "malloc", "entyr", -EINVAL,
			"entyr is neither entry, return nor a hexadecimal offset (did you mean "
			"entry?)"},
		{"libc", "malloc", "z*", -ENOENT, "z* matches neither"},
		{"", "-", "*", -EINVAL, "one address"},
		{"", "-", "main", -EINVAL, "hexadecimal address"},
		{"", "-", "0x401390", -EINVAL,
			"0x401390: an address is written without 0x: 401390"},
		{"libc", "malloc", "0X4", -EINVAL, "0X4: an offset is written without 0x: 4"},
	};
	struct pid_finder *finder;
	struct pid_list list;
	struct error error;

	ck_assert_int_eq(pid_finder_new(getpid(), &finder, &error), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int result = find(
			finder, cases[i].module, cases[i].function, cases[i].name, &list, &error);

		ck_assert_msg(result == cases[i].result, "%s:%s:%s: %d", cases[i].module,
			cases[i].function, cases[i].name, result);
		ck_assert_msg(strstr(error.text, cases[i].text) != NULL, "%s", error.text);
		pid_list_free(&list);
	}
	pid_finder_free(finder);
	ck_assert_int_lt(pid_finder_new(0x7ffffff0, &finder, &error), 0);
	ck_assert_ptr_null(finder);
	ck_assert_ptr_nonnull(strstr(error.text, "does not exist"));
}
END_TEST

START_TEST(test_modules)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{"", "libc.so.6", true},
		{"libc.so.6", "libc.so.6", true},
		{"libc.so", "libc.so.6", true},
		{"libc", "libc.so.6", true},
		{"libc.so.1", "libc.so.6", false},
		{"lib", "libc.so.6", false},
		{"libc.s", "libc.so.6", false},
		{"libc.", "libc.so.6", false},
		{"libc.so.", "libc.so.6", false},
		{"libcrypt", "libc.so.6", false},
		{"libc", "libcrypt.so.1", false},
		{"libc", "libc-2.31.so", true},
		{"libc-2.31", "libc-2.31.so", true},
		{"libc", "libc-client.so.2", false},
		{"libpython3.11", "libpython3.11.so.1.0", true},
		{"libpython3", "libpython3.11.so.1.0", false},
		{"libpython3.11.so.1", "libpython3.11.so.1.0", true},
		{"python3", "python3.11", false},
		{"libfoo", "libfoo.so.d", false},
		{"lib*", "libc.so.6", true},
		{"*.so.?", "libc.so.6", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(
			pattern_match_module(cases[i].pattern, cases[i].name) == cases[i].matches,
			"%s %s", cases[i].pattern, cases[i].name);
}
END_TEST

START_TEST(test_dangers)
{
	ck_assert_ptr_nonnull(pid_return_refusal("_start"));
	ck_assert_ptr_nonnull(pid_return_refusal("_dl_runtime_resolve_xsavec"));
	ck_assert_ptr_nonnull(pid_return_refusal("work.cold"));
	ck_assert_ptr_nonnull(pid_return_refusal("work.cold.12"));
	ck_assert_ptr_nonnull(pid_return_refusal("work.__part.1"));
	ck_assert_ptr_null(pid_return_refusal("work.colder"));
	ck_assert_ptr_null(pid_return_refusal("work.isra.0"));
	ck_assert_ptr_null(pid_return_refusal(".cold"));
	ck_assert_ptr_null(pid_return_refusal("vfork"));
	ck_assert_ptr_null(pid_return_danger("python3.11", "f", 0, 0).reason);
	ck_assert_ptr_nonnull(pid_return_danger("libc.so.6", "__sigsetjmp", 0, 0).reason);
	ck_assert_ptr_nonnull(pid_return_danger("app", "main.f", 0, CODE_GO).reason);
	ck_assert_ptr_null(pid_return_danger("libc.so.6", "malloc", CODE_THROWS, 0).reason);
	ck_assert_ptr_nonnull(pid_return_danger("libc.so.6", "qsort", CODE_THROWS, 0).reason);
	ck_assert(pid_return_danger("app", "f", CODE_THROWS, 0).is_certain);
	ck_assert(pid_return_danger("app", "f", CODE_SWITCHES | CODE_EXITS, 0).is_certain);
	ck_assert_ptr_nonnull(pid_return_danger("app", "f", CODE_EXITS, 0).reason);
	ck_assert(!pid_return_danger("app", "f", CODE_EXITS, 0).is_certain);
}
END_TEST

/* The functions of libc, which Debian builds with all that a compiler and assemblers offer. */
START_TEST(test_libc)
{
	struct pid_finder *finder;
	struct pid_list list;
	struct error error;
	size_t refused = 0;

	ck_assert_int_eq(pid_finder_new(getpid(), &finder, &error), 0);
	ck_assert_msg(find(finder, "libc", "", "entry", &list, &error) == 0, "%s", error.text);
	ck_assert_uint_gt(list.count, 1000);
	for (size_t i = 0; i < list.count; i++) {
		const struct pid_probe *probe = &list.probes[i];

		refused += probe->refusal != NULL;
		ck_assert(probe->refusal || probe->place.address);
		ck_assert(i == 0 || list.probes[i - 1].place.address <= probe->place.address ||
			probe->refusal || list.probes[i - 1].refusal);
	}
	ck_assert_uint_lt(refused, list.count / 20);
	pid_list_free(&list);
	ck_assert_int_eq(find(finder, "libc", "setjmp", "return", &list, &error), 0);
	ck_assert(list.probes[0].refusal || list.probes[0].site_count > 0);
	pid_list_free(&list);
	ck_assert_int_eq(pid_finder_update(finder, &error), 0);
	ck_assert_int_eq(find(finder, "libc", "malloc", "entry", &list, &error), 0);
	pid_list_free(&list);
	pid_finder_free(finder);
}
END_TEST

static void make_folder(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%.40s/pid-XXXXXX", parent ? parent : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

void unit_tests(TCase *tests)
{
	tcase_add_unchecked_fixture(tests, make_folder, remove_folder);
	tcase_add_loop_test(tests, test_builds, 0, (int)(sizeof(builds) / sizeof(builds[0])));
	tcase_add_loop_test(tests, test_kernel, 0, 2);
	tcase_add_loop_test(tests, test_leavers, 0, 3);
	tcase_add_test(tests, test_messages);
	tcase_add_test(tests, test_modules);
	tcase_add_test(tests, test_dangers);
	tcase_add_test(tests, test_libc);
}
