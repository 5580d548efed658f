/*
 * generator_name.c: what the generated files must agree on: how C spells the contract's
 * names, how each argument is carried, and the layout of a record in a ring.
 */
#include "contract/generator.h"

#include <ctype.h>
#include <string.h>

#include "wire/wire.h"

enum {
	RECORD_HEADER = 12, /* u64 time, u16 event, u16 cpu: see shim/core/object.h */
	RECORD_ALIGN = 8
};

bool generate_is_cap(const struct contract_probe *probe, unsigned index)
{
	const struct contract_argument *argument = &probe->arguments[index];
	return index == 0 && argument->kind == CONTRACT_INTEGER && argument->size == 2 &&
		!argument->is_signed && strcmp(argument->name, "cap") == 0;
}

bool generate_is_name(const struct contract_argument *argument)
{
	return argument->string == CONTRACT_STRING_NAME;
}

bool generate_is_text(const struct contract_argument *argument)
{
	return argument->kind == CONTRACT_STRING && !generate_is_name(argument);
}

/* Slots are 4 bytes: one for a name's id or an integer of up to 4 bytes, two for 8 bytes. */
void generate_layout(const struct contract_probe *probe, struct generate_layout *layout)
{
	unsigned at = RECORD_HEADER;

	layout->text = -1;
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		if (generate_is_text(argument)) {
			layout->text = (int)i;
			continue;
		}
		layout->offset[i] = at;
		at += !generate_is_name(argument) && argument->size == 8 ? 8 : 4;
	}
	if (layout->text >= 0) {
		layout->offset[layout->text] = at; /* u32 length, then the bytes */
		at += 4;
	}
	layout->bytes = (at + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1u);
}

static uint32_t digest_text(uint32_t digest, const char *text)
{
	do
		digest = (digest ^ (unsigned char)*text) * 16777619u;
	while (*text++);
	return digest;
}

/* FNV-1a over the probe's name and the types of its first arguments. */
uint32_t generate_prefix_digest(const struct contract_probe *probe, unsigned count)
{
	uint32_t digest = digest_text(2166136261u, probe->identifier);

	for (unsigned i = 0; i < count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		digest = digest_text(digest, generate_type(argument));
		digest = digest_text(digest,
			generate_is_cap(probe, i)            ? "cap"
				: generate_is_name(argument) ? "name"
				: generate_is_text(argument) ? "text"
							     : "");
	}
	return digest;
}

/* Converts "gc__start" to GC_START or gc_start, as C programmers write it. */
const char *generate_name(const struct contract_probe *probe, bool upper)
{
	static char names[4][128];
	static unsigned next;
	char *name = names[next++ % 4], *to = name;

	for (const char *from = probe->identifier; *from && to < name + sizeof(names[0]) - 1;
		from++) {
		if (from[0] == '_' && from[1] == '_')
			from++;
		*to++ = upper ? (char)toupper((unsigned char)*from) : *from;
	}
	*to = '\0';
	return name;
}

/* The macro that `dtrace -h` makes for a probe: VM_GC_START. */
const char *generate_site_macro(
	const struct contract_provider *provider, const struct contract_probe *probe)
{
	static char name[256];
	char *to = name;

	for (const char *from = provider->name; *from && to < name + 100; from++)
		*to++ = (char)toupper((unsigned char)*from);
	snprintf(to, sizeof(name) - (size_t)(to - name), "_%s", generate_name(probe, true));
	return name;
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), more = strlen(end);

	return length > more && strcmp(name + length - more, end) == 0;
}

/*
 * Whether a name may be something else in C: a macro in capitals, a type, a word, or what C
 * reserves; or the word of a probe, which its function uses.
 */
static bool may_clash(const char *name)
{
	bool has_small = false;

	for (const char *at = name; *at; at++)
		has_small |= islower((unsigned char)*at) != 0;
	return !has_small || name[0] == '_' || ends_in(name, "_t") || ends_in(name, "_semaphore");
}

/*
 * An argument's name in a declaration, with '_' at its end where the name itself might clash. A
 * name that ends in '_' anyway gets another one, so that no two names become the same.
 */
const char *generate_argument(const struct contract_argument *argument)
{
	static const char *const reserved[] = {"class", "new", "delete", "this", "template",
		"private", "public", "protected", "namespace", "operator", "virtual", "try",
		"catch", "throw", "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor",
		"bool", "char16_t", "char32_t", "char8_t", "compl", "concept", "const_cast",
		"consteval", "constexpr", "constinit", "co_await", "co_return", "co_yield",
		"decltype", "dynamic_cast", "explicit", "export", "false", "friend", "mutable",
		"noexcept", "not", "not_eq", "nullptr", "or", "or_eq", "reinterpret_cast",
		"requires", "static_assert", "static_cast", "thread_local", "true", "typeid",
		"typename", "typeof", "typeof_unqual", "using", "xor", "xor_eq", "linux", "unix",
		"i386", "defined", "errno", "assert", "stdin", "stdout", "stderr", "complex",
		"imaginary", "environ"};
	static char names[2][128];
	static unsigned next;
	const char *plain = argument->name;
	bool clashes = may_clash(plain) || plain[strlen(plain) - 1] == '_';
	char *name;

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]) && !clashes; i++)
		clashes = strcmp(plain, reserved[i]) == 0;
	if (!clashes)
		return plain;
	name = names[next++ % 2];
	snprintf(name, sizeof(names[0]), "%s_", plain);
	return name;
}

/* Whether a type consists of words that every reader of a stream knows. */
static bool is_plain(const char *type)
{
	static const char *const words[] = {"char", "short", "int", "long", "signed", "unsigned",
		"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
		"uint64_t"};

	while (*type) {
		size_t length = strcspn(type, " "), i = 0;
		while (i < sizeof(words) / sizeof(words[0]) &&
			(strlen(words[i]) != length || memcmp(words[i], type, length) != 0))
			i++;
		if (i == sizeof(words) / sizeof(words[0]))
			return false;
		type += length + strspn(type + length, " ");
	}
	return true;
}

const char *generate_type(const struct contract_argument *argument)
{
	static char sized[4][12];
	static unsigned next;
	char *type;

	if (argument->kind == CONTRACT_STRING)
		return "char *";
	if (argument->kind == CONTRACT_POINTER)
		return "void *";
	if (is_plain(argument->type))
		return argument->type;
	type = sized[next++ % 4];
	snprintf(type, sizeof(sized[0]), "%sint%u_t", argument->is_signed ? "" : "u",
		argument->size * 8u);
	return type;
}

/* The type that a VM author passes. */
static const char *c_type(const struct contract_argument *argument)
{
	if (generate_is_name(argument))
		return "struct vmtap_name *";
	if (argument->kind == CONTRACT_POINTER)
		return "const void *";
	return generate_is_text(argument) ? "const char *" : generate_type(argument);
}

void generate_parameters(FILE *out, const struct contract_probe *probe)
{
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const char *type = c_type(&probe->arguments[i]);
		fprintf(out, "%s%s%s%s", i ? ", " : "", type,
			type[strlen(type) - 1] == '*' ? "" : " ",
			generate_argument(&probe->arguments[i]));
	}
	if (!probe->argument_count)
		fputs("void", out);
}

void generate_argument_names(FILE *out, const struct contract_probe *probe)
{
	for (unsigned i = 0; i < probe->argument_count; i++)
		fprintf(out, "%s%s", i ? ", " : "", generate_argument(&probe->arguments[i]));
}

void generate_description(
	FILE *out, const struct contract_provider *provider, const struct contract_probe *probe)
{
	fprintf(out, "%s:::%s(", provider->name, probe->name);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		const char *type = generate_is_text(argument) ? "char" : generate_type(argument);
		fprintf(out, "%s%s%s%s%s", i ? ", " : "", type,
			type[strlen(type) - 1] == '*' ? "" : " ", argument->name,
			generate_is_text(argument) ? "[]" : "");
	}
	fputc(')', out);
}

/* Whether the event fires any of the provider's probes. */
bool generate_serves(const struct generate_compat *compat, size_t event)
{
	for (size_t i = 0; i < compat->provider->probe_count; i++)
		if (compat->mappings[i].event == event)
			return true;
	return false;
}

/*
 * Whether an event of GHC's can represent the whole probe. It cannot if its payload is
 * changed for GHC's readers: a stop's status must be one that they know, and a capability
 * joins its sets or leaves them.
 */
bool generate_is_whole(const struct contract_eventlog *eventlog)
{
	return eventlog->complete && eventlog->type != WIRE_STOP_THREAD;
}

const char *generate_upper(const char *name)
{
	static char upper[128];
	size_t length = 0;

	for (; name[length] && length < sizeof(upper) - 1; length++)
		upper[length] = (char)toupper((unsigned char)name[length]);
	upper[length] = '\0';
	return upper;
}
