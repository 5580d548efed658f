/*
 * test_usdt_image.c: the reader of ELF images, with images for many machines that are built
 * here, and with images that are cut short or have wrong bits.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "elf_image.h"
#include "unit_main.h"
#include "usdt/elf/image.h"

static const struct elf_image_site sites[] = {
	{.provider = "vm", .name = "gc__start", .arguments = "2@%di 4@%esi -8@-16(%rbp)"},
	{.provider = "vm", .name = "none", .no_semaphore = true},
	{.provider = "vm", .name = "gc__start", .arguments = "2@$1 4@$2 -8@n+4(%rip)"},
	{.provider = "ruby",
		.name = "many",
		.arguments = "1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al "
			     "1@%al 1@%al"},
};

enum { SITES = sizeof(sites) / sizeof(sites[0]) };

static struct usdt_image *read_image(const struct elf_image *made)
{
	struct usdt_image *image;
	struct error error = {""};
	int result = elf_image_read(made->bytes, made->size, "made", &image, &error);

	ck_assert_msg(result == 0, "%s", error.text);
	return image;
}

static void compare_with_sites(const struct usdt_image *image, const struct elf_image *made)
{
	ck_assert_uint_eq(image->site_count, SITES);
	ck_assert_uint_eq(image->damaged_count, 0);
	ck_assert_str_eq(image->sites[0].name, "gc-start");
	ck_assert_str_eq(image->sites[0].note_name, "gc__start");
	ck_assert_str_eq(image->sites[0].function, "fire_gc__start");
	ck_assert_int_eq(image->sites[0].argument_count, 3);
	ck_assert_int_eq(image->sites[0].arguments[2].size, 8);
	ck_assert(image->sites[0].arguments[2].is_signed);
	ck_assert(!image->sites[1].semaphore.is_set);
	ck_assert_int_eq(image->sites[1].argument_count, 0);
	ck_assert_str_eq(image->sites[3].provider, "ruby");
	ck_assert_int_eq(image->sites[3].argument_count, 12);
	ck_assert(image->sites[3].has_more_arguments);
	for (int i = 0; i < SITES; i++) {
		const struct usdt_site *site = &image->sites[i];

		ck_assert(site->code.is_mapped && site->code.is_executable &&
			!site->code.is_writable && site->code.has_offset);
		ck_assert_int_eq(made->bytes[site->code.offset], 0x90);
		if (!site->semaphore.is_set)
			continue;
		ck_assert(site->semaphore.is_mapped && site->semaphore.is_writable &&
			!site->semaphore.is_executable && site->semaphore.has_offset);
	}
}

static const struct {
	uint16_t machine;
	bool is_32, is_big_endian;
	enum operand_kind first;
} machines[] = {
	{EM_X86_64, false, false, OPERAND_REGISTER},
	{EM_AARCH64, false, false, OPERAND_UNKNOWN},
	{EM_PPC64, false, true, OPERAND_VERBATIM},
	{EM_PPC64, false, false, OPERAND_VERBATIM},
	{EM_S390, false, true, OPERAND_VERBATIM},
	{EM_386, true, false, OPERAND_VERBATIM},
	{EM_ARM, true, false, OPERAND_VERBATIM},
	{EM_PPC, true, true, OPERAND_VERBATIM},
	{0xfefe, false, true, OPERAND_VERBATIM},
};

START_TEST(each_machine)
{
	struct elf_image_options options = {.machine = machines[_i].machine,
		.is_32 = machines[_i].is_32,
		.is_big_endian = machines[_i].is_big_endian};
	struct elf_image made = elf_image_make(&options, sites, SITES);
	struct usdt_image *image = read_image(&made);

	compare_with_sites(image, &made);
	ck_assert_int_eq(image->machine, options.machine);
	ck_assert(image->is_64 == !options.is_32);
	ck_assert(image->is_big_endian == options.is_big_endian);
	ck_assert(image->has_base && image->base == ELF_IMAGE_BASE);
	ck_assert_uint_eq(image->sites[2].code.address, ELF_IMAGE_TEXT + 2 * ELF_IMAGE_SLOT);
	ck_assert_uint_eq(image->sites[2].semaphore.address, ELF_IMAGE_DATA + 4);
	ck_assert_str_eq(image->sites[2].semaphore_symbol, "vm_gc__start_semaphore");
	ck_assert_int_eq(image->sites[2].semaphore_visibility, USDT_VISIBILITY_LOCAL);
	ck_assert_int_eq(image->sites[0].arguments[0].operand.kind, machines[_i].first);
	if (options.machine == EM_X86_64 || options.machine == EM_386)
		ck_assert_int_eq(image->sites[0].form, SITE_NOP_NOP10);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

START_TEST(relocatable)
{
	struct elf_image_options options = {.machine = machines[_i].machine,
		.is_32 = machines[_i].is_32,
		.is_big_endian = machines[_i].is_big_endian,
		.is_relocatable = true};
	struct elf_image made = elf_image_make(&options, sites, SITES);
	struct usdt_image *image = read_image(&made);

	compare_with_sites(image, &made);
	ck_assert(image->is_relocatable);
	ck_assert_str_eq(image->sites[0].code.relocation, ".text");
	ck_assert_str_eq(image->sites[2].code.relocation, ".text+0x20");
	ck_assert_str_eq(image->sites[2].semaphore.relocation, ".probes+0x4");
	ck_assert_uint_eq(image->sites[2].code.address, 0x20);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

/* Prelinked: everything has moved since the notes were written. */
START_TEST(moved)
{
	struct elf_image_site site = {.provider = "p",
		.name = "n",
		.address = 0x800,
		.base = ELF_IMAGE_BASE - 0x800,
		.semaphore = ELF_IMAGE_DATA - 0x800};
	struct elf_image made = elf_image_make(&(struct elf_image_options){0}, &site, 1);
	struct usdt_image *image = read_image(&made);

	ck_assert_uint_eq(image->sites[0].recorded_address, 0x800);
	ck_assert_uint_eq(image->sites[0].code.address, ELF_IMAGE_TEXT);
	ck_assert_uint_eq(image->sites[0].semaphore.address, ELF_IMAGE_DATA);
	ck_assert_int_eq(image->sites[0].form, SITE_NOP_NOP10);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

static const struct {
	uint16_t machine;
	const char *code;
	unsigned int size;
	enum site_form form;
} forms[] = {
	{EM_X86_64, "\x90\xc3", 2, SITE_NOP},
	{EM_X86_64, "\x90\x0f\x1f\x44\x00\x00", 6, SITE_NOP_NOP5},
	{EM_X86_64, "\x0f\x1f\x44\x00\x00", 5, SITE_NOP5},
	{EM_X86_64, "\xcc", 1, SITE_BREAKPOINT},
	{EM_X86_64, "\xe8\x00\x00\x00\x00", 5, SITE_OTHER},
	{EM_AARCH64, "\x1f\x20\x03\xd5", 4, SITE_NOP},
	{EM_AARCH64, "\x00\x00\x80\xd2", 4, SITE_OTHER},
	{EM_PPC64, "\x60\x00\x00\x00", 4, SITE_NOP},
	{EM_PPC64, "\x00\x00\x00\x60", 4, SITE_NOP},
	{EM_RISCV, "\x01\x00", 2, SITE_NOP},
	{0xfefe, "\x12", 1, SITE_ANY},
};

START_TEST(instruction)
{
	struct elf_image_site site = {
		.provider = "p", .name = "n", .code = forms[_i].code, .code_size = forms[_i].size};
	struct elf_image made =
		elf_image_make(&(struct elf_image_options){.machine = forms[_i].machine}, &site, 1);
	struct usdt_image *image = read_image(&made);

	ck_assert_int_eq(image->sites[0].form, forms[_i].form);
	ck_assert(site_form_text(image->sites[0].form)[0]);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

START_TEST(places_outside)
{
	struct elf_image_site site = {
		.provider = "p", .name = "n", .address = 0x9990000, .semaphore = UINT64_MAX};
	struct elf_image made = elf_image_make(&(struct elf_image_options){0}, &site, 1);
	struct usdt_image *image = read_image(&made);

	ck_assert(!image->sites[0].code.is_mapped && !image->sites[0].code.has_offset);
	ck_assert(!image->sites[0].semaphore.is_mapped);
	ck_assert_int_eq(image->sites[0].form, SITE_UNREADABLE);
	ck_assert_str_eq(image->sites[0].function, "");
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

START_TEST(no_symbols)
{
	struct elf_image made =
		elf_image_make(&(struct elf_image_options){.no_symbols = true}, sites, SITES);
	struct usdt_image *image = read_image(&made);

	ck_assert_uint_eq(image->site_count, SITES);
	ck_assert_str_eq(image->sites[0].function, "");
	ck_assert_int_eq(image->sites[0].semaphore_visibility, USDT_VISIBILITY_UNKNOWN);
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

START_TEST(absence)
{
	struct elf_image made =
		elf_image_make(&(struct elf_image_options){.no_notes = true}, sites, SITES);
	struct usdt_image *image = read_image(&made);

	ck_assert_uint_eq(image->site_count, 0);
	ck_assert_ptr_nonnull(strstr(image->absence, "notes have been removed"));
	usdt_image_free(image);
	free(made.bytes);
	made = elf_image_make(
		&(struct elf_image_options){.no_notes = true, .no_base = true}, sites, SITES);
	image = read_image(&made);
	ck_assert_ptr_nonnull(strstr(image->absence, "semaphores"));
	usdt_image_free(image);
	free(made.bytes);
}
END_TEST

static void expect_error(const void *bytes, size_t size, int number, const char *text)
{
	struct usdt_image *image;
	struct error error = {""};

	ck_assert_int_eq(elf_image_read(bytes, size, "x", &image, &error), -number);
	ck_assert_ptr_null(image);
	ck_assert_str_eq(error.text, text);
}

START_TEST(no_elf)
{
	struct usdt_image *image;
	struct error error = {""};

	expect_error("", 0, ENOEXEC, "x: an empty file");
	expect_error("#!/bin/sh\n", 10, ENOEXEC,
		"x: a script; name its interpreter, or the pid that runs it");
	expect_error("hello, world, this is text", 26, ENOEXEC, "x: not an ELF file");
	expect_error("\x7f"
		     "ELF",
		4, EINVAL, "x: truncated or damaged: it ends within its ELF header");
	for (size_t size = 16; size < 64; size++) {
		char header[64] = "\x7f"
				  "ELF\x02\x01\x01";
		expect_error(header, size, EINVAL,
			"x: truncated or damaged: it ends within its ELF header");
	}
	expect_error("!<arch>\n", 8, ENOEXEC,
		"x: an archive; name what is linked from it, or its members (ar x)");
	ck_assert_int_eq(usdt_image_open("/nonexistent", NULL, &image, &error), -ENOENT);
	ck_assert_str_eq(error.text, "/nonexistent: No such file or directory");
	ck_assert_int_eq(usdt_image_open("/", NULL, &image, &error), -EISDIR);
	ck_assert_int_eq(usdt_image_open("/dev/null", NULL, &image, &error), -EINVAL);
	usdt_image_free(NULL);
}
END_TEST

/* An image that is cut anywhere causes an error of one line; nothing is read beyond its end. */
START_TEST(prefixes)
{
	struct elf_image_options options = {
		.is_relocatable = _i & 1, .is_32 = _i & 2, .is_big_endian = _i & 4};
	struct elf_image made = elf_image_make(&options, sites, SITES);

	for (size_t size = 0; size < made.size; size++) {
		uint8_t *copy = malloc(size);
		struct usdt_image *image;
		struct error error = {""};
		int result;

		memcpy(copy, made.bytes, size);
		result = elf_image_read(copy, size, "cut", &image, &error);
		ck_assert_msg(result < 0, "%zu bytes", size);
		ck_assert_ptr_null(image);
		ck_assert_msg(strncmp(error.text, "cut: ", 5) == 0, "%s", error.text);
		ck_assert_ptr_null(strchr(error.text, '\n'));
		free(copy);
	}
	free(made.bytes);
}
END_TEST

/* Each byte damaged in two ways: an error or an image, never a crash. */
START_TEST(damaged_bytes)
{
	struct elf_image_options options = {
		.is_relocatable = _i & 1, .is_32 = _i & 2, .is_big_endian = _i & 4};
	struct elf_image made = elf_image_make(&options, sites, SITES);

	for (size_t i = 0; i < made.size; i++) {
		for (int way = 0; way < 2; way++) {
			uint8_t was = made.bytes[i];
			struct usdt_image *image;
			struct error error = {""};

			made.bytes[i] = way ? (uint8_t)~was : was ^ (uint8_t)(1u << (i % 8));
			if (elf_image_read(made.bytes, made.size, "bad", &image, &error) < 0)
				ck_assert_ptr_null(image);
			usdt_image_free(image);
			made.bytes[i] = was;
		}
	}
	free(made.bytes);
}
END_TEST

/* A file is read like an image in memory; here, too, its end may be missing. */
START_TEST(from_a_file)
{
	char path[] = "/tmp/vmtap-image-XXXXXX";
	struct elf_image made = elf_image_make(&(struct elf_image_options){0}, sites, SITES);
	int file = mkstemp(path);
	struct usdt_image *image;
	struct error error = {""};

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, made.bytes, made.size), (ssize_t)made.size);
	ck_assert_int_eq(usdt_image_open(path, "shown", &image, &error), 0);
	compare_with_sites(image, &made);
	ck_assert_str_eq(image->name, "shown");
	usdt_image_free(image);
	for (size_t size = made.size - 1; size > 0; size -= size > 97 ? 97 : 1) {
		ck_assert_int_eq(ftruncate(file, (off_t)size), 0);
		ck_assert_int_lt(usdt_image_read(file, "cut", &image, &error), 0);
		ck_assert_ptr_null(image);
	}
	close(file);
	unlink(path);
	free(made.bytes);
}
END_TEST

START_TEST(many_sites)
{
	enum { COUNT = 10000 };
	struct elf_image_site *many = calloc(COUNT, sizeof(*many));
	char(*names)[24] = calloc(COUNT, sizeof(*names));
	struct elf_image made;
	struct usdt_image *image;

	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "probe_%d", i);
		many[i] = (struct elf_image_site){
			.provider = "p", .name = names[i], .arguments = "4@%edi 8@%rsi"};
	}
	made = elf_image_make(&(struct elf_image_options){0}, many, COUNT);
	image = read_image(&made);
	ck_assert_uint_eq(image->site_count, COUNT);
	for (int i = 0; i < COUNT; i++) {
		ck_assert_str_eq(image->sites[i].name, names[i]);
		ck_assert_str_eq(image->sites[i].function + 5, names[i]);
		ck_assert(strstr(image->sites[i].semaphore_symbol, names[i]));
	}
	usdt_image_free(image);
	free(made.bytes);
	free(many);
	free(names);
}
END_TEST

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_loop_test(tests, each_machine, 0, sizeof(machines) / sizeof(machines[0]));
	tcase_add_loop_test(tests, relocatable, 0, sizeof(machines) / sizeof(machines[0]));
	tcase_add_test(tests, moved);
	tcase_add_loop_test(tests, instruction, 0, sizeof(forms) / sizeof(forms[0]));
	tcase_add_test(tests, places_outside);
	tcase_add_test(tests, no_symbols);
	tcase_add_test(tests, absence);
	tcase_add_test(tests, no_elf);
	tcase_add_loop_test(tests, prefixes, 0, 8);
	tcase_add_loop_test(tests, damaged_bytes, 0, 8);
	tcase_add_test(tests, from_a_file);
	tcase_add_test(tests, many_sites);
}
