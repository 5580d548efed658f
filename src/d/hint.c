/*
 * hint.c: tables of functions, variables, directives, reserved words and characters. Only names
 * that D itself does not define belong here: a hint is added to an error and changes nothing else.
 * Where no table knows a name, a known one that is spelt much like it is suggested.
 */
#include "d/hint.h"

#include <ctype.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/suggestion.h"
#include "d/check_translator.h"
#include "d/compiler.h"
#include "d/resolve_symbol.h"
#include "d/type.h"
#include "usdt/elf/btf.h"

struct hint {
	const char *word, *text;
};

static const struct hint functions[] = {
	{"str", " (D has copyinstr( ))"},
	{"kstr", " (D has stringof( ))"},
	{"buf", " (D has tracemem( ))"},
	{"hist", " (D has quantize( ))"},
	{"lhist", " (D has lquantize( ))"},
	{"stats", " (D has avg( ), count( ) and sum( ))"},
	{"delete", " (assign 0 to the element)"},
	{"zero", " (D has clear( ))"},
	{"ksym", " (D has sym( ))"},
	{"kstack", " (D has stack( ))"},
	{"ntop", " (D has inet_ntop( ))"},
	{"reg", " (D has uregs[ ])"},
	{"signal", " (D has raise( ))"},
	{"strftime", " (D has printf( ) with %Y)"},
	{"time", " (D has printf( ) with %Y)"},
	{"strcmp", " (D has ==)"},
	{"strncmp", " (D has == and substr( ))"},
	{"strcontains", " (D has strstr( ))"},
	{"len", " (D has strlen( ))"},
	{"join", " (D has strjoin( ))"},
	{"cat", " (D has system( ))"},
	{"unroll", " (D has no loops)"},
};

static const struct hint variables[] = {
	{"nsecs", " (D has timestamp)"},
	{"elapsed", " (D has timestamp)"},
	{"comm", " (D has execname)"},
	{"func", " (D has probefunc)"},
	{"retval", " (D has arg1)"},
	{"kstack", " (D has stack( ))"},
	{"curtask", " (D has curthread)"},
	{"cpid", " (D has $target)"},
};

static const struct hint characters[] = {
	{"//", " (comments are /* */)"},
	{"~", " (D has strstr( ), not patterns)"},
	{"\xef\xbb\xbf", " (a byte order mark)"},
	{"\xc2\xa0", " (a no-break space)"},
	{"\xe2\x80\x98", " (D has ')"},
	{"\xe2\x80\x99", " (D has ')"},
	{"\xe2\x80\x9c", " (D has \")"},
	{"\xe2\x80\x9d", " (D has \")"},
	{"\xe2\x80\x9e", " (D has \")"},
	{"\xe2\x80\x93", " (D has -)"},
	{"\xe2\x88\x92", " (D has -)"},
};

static const char *find_hint(const struct hint *hints, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(hints[i].word, word) == 0)
			return hints[i].text;
	return "";
}

static bool is_meant(const struct d_identifier *identifier, bool is_function)
{
	return identifier && (identifier->kind == D_IDENTIFIER_FUNCTION) == is_function;
}

const char *d_hint_name(const struct d_compiler *compiler, const struct d_name *name,
	enum d_name_space space, bool is_function, char text[D_HINT_MAX])
{
	static const char *const prefixes[] = {[D_SPACE_GLOBAL] = "",
		[D_SPACE_SELF] = "self->",
		[D_SPACE_THIS] = "this->",
		[D_SPACE_AGGREGATION] = "@"};
	const struct d_names *names = &compiler->names;
	struct suggestion suggestion;
	const char *known = "";

	if (is_function)
		known = find_hint(functions, sizeof(functions) / sizeof(*functions), name->bytes);
	else if (space == D_SPACE_GLOBAL)
		known = find_hint(variables, sizeof(variables) / sizeof(*variables), name->bytes);
	if (*known)
		return known;
	suggestion_init(&suggestion, name->bytes);
	for (size_t i = 0; i < names->count; i++)
		if (is_meant(names->list[i]->identifiers[space], is_function) ||
			(space == D_SPACE_GLOBAL && !is_function && names->list[i]->type))
			suggestion_offer(&suggestion, names->list[i]->bytes);
	return suggestion_phrase(text, D_HINT_MAX, prefixes[space], suggestion.best, "");
}

/* Names come one by one from the script and from the kernel's description. */
static int offer(void *suggestion, uint32_t number, const char *name)
{
	(void)number;
	if (*name)
		suggestion_offer(suggestion, name);
	return 0;
}

enum { TAG_STRUCT, TAG_UNION, TAG_ENUM, TAGS };

static const struct {
	const char *word; /* and the blank after it */
	unsigned kernel;  /* kind of the kernel's types that D can use; 0: none */
} tags[TAGS] = {{"struct ", BTF_KIND_STRUCT}, {"union ", BTF_KIND_UNION}, {"enum ", 0}};

/* The script's tags, and the kernel's, that are spelt much like a name. */
static const char *suggest_tag(
	const struct d_compiler *compiler, unsigned tag, const char *wanted, char text[D_HINT_MAX])
{
	const struct d_names *names = &compiler->names;
	struct suggestion suggestion;

	suggestion_init(&suggestion, wanted);
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i]->tags[tag] && names->list[i]->tags[tag]->complete)
			suggestion_offer(&suggestion, names->list[i]->bytes);
	if (compiler->types.kernel && tags[tag].kernel)
		btf_each(compiler->types.kernel, tags[tag].kernel, "", offer, &suggestion);
	return suggestion_phrase(text, D_HINT_MAX, tags[tag].word, suggestion.best, "");
}

const char *d_hint_tag(
	const struct d_compiler *compiler, const struct d_type *type, char text[D_HINT_MAX])
{
	const struct d_type *named = d_type_resolve(type);
	unsigned tag = named->kind == D_TYPE_STRUCT ? TAG_STRUCT
		: named->kind == D_TYPE_UNION       ? TAG_UNION
						    : TAG_ENUM;
	size_t word = strlen(tags[tag].word) - 1;

	if (!d_type_is_incomplete(named) || !named->name || named->name[word] != ' ')
		return "";
	return suggest_tag(compiler, tag, named->name + word + 1, text);
}

/* The word before a tag of that name, of the script or the kernel; NULL: there is no such tag. */
static const char *word_of_tag(const struct d_compiler *compiler, const struct d_name *name)
{
	for (unsigned tag = 0; tag < TAGS; tag++)
		if ((name->tags[tag] && name->tags[tag]->complete) ||
			(compiler->types.kernel && tags[tag].kernel &&
				btf_find(compiler->types.kernel, tags[tag].kernel, name->bytes)))
			return tags[tag].word;
	return NULL;
}

const char *d_hint_type(
	const struct d_compiler *compiler, const struct d_name *name, char text[D_HINT_MAX])
{
	const struct d_names *names = &compiler->names;
	const char *word = word_of_tag(compiler, name);
	struct suggestion suggestion;

	if (word)
		return suggestion_phrase(text, D_HINT_MAX, word, name->bytes, "");
	suggestion_init(&suggestion, name->bytes);
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i]->type)
			suggestion_offer(&suggestion, names->list[i]->bytes);
	return suggestion.best ? suggestion_text(&suggestion, text, D_HINT_MAX)
			       : suggest_tag(compiler, TAG_STRUCT, name->bytes, text);
}

const char *d_hint_member(const struct d_type *type, const char *name, char text[D_HINT_MAX])
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, name);
	for (const struct d_member *member = d_type_resolve(type)->members; member;
		member = member->next)
		if (member->name)
			suggestion_offer(&suggestion, member->name->bytes);
	return suggestion_text(&suggestion, text, D_HINT_MAX);
}

const char *d_hint_translated(const struct d_node *node, char text[D_HINT_MAX])
{
	const struct d_node *translated = d_translated(node), *argument;
	unsigned long long number;

	if (!translated || node->type->kind != D_TYPE_DYNAMIC)
		return "";
	while (node != translated && !node->identifier)
		node = node->left;
	argument = node == translated ? d_translated_argument(translated) : NULL;
	if (argument) {
		number = (unsigned long long)argument->right->value;
		snprintf(text, D_HINT_MAX,
			" (args[%llu] is translated from arg%u: use that, or a member of "
			"args[%llu])",
			number, argument->argument, number);
	} else {
		snprintf(text, D_HINT_MAX, " (%.40s%s is a translation: use a member of it)",
			node == translated ? "xlate< >( )" : node->identifier->name->bytes,
			node != translated && node->identifier->key_count ? "[ ]" : "");
	}
	return text;
}

/* A character between single quotes, which is a number. */
static bool is_quoted(const struct d_node *node)
{
	return node->kind == D_NODE_INTEGER && node->place.start && *node->place.start == '\'';
}

const char *d_hint_operands(const struct d_node *node, const struct d_node *left,
	const struct d_node *right, char text[D_HINT_MAX])
{
	bool one = d_type_is_text(left->type), other = right && d_type_is_text(right->type);
	const char *hint = d_hint_translated(left, text);

	if (!*hint && right)
		hint = d_hint_translated(right, text);
	if (!*hint && node->kind == D_NODE_ASSIGN && left->kind == D_NODE_AGGREGATION)
		return " (D has @ = sum( ))";
	if (*hint || !right || (node->kind != D_NODE_BINARY && node->kind != D_NODE_ASSIGN))
		return hint;
	if (one && other && node->operation == D_OPERATOR_ADD)
		return " (D has strjoin( ))";
	if ((one && is_quoted(right)) || (other && is_quoted(left)))
		return " (strings have double quotes)";
	return "";
}

const char *d_hint_passed(const struct d_node *node, const char *expected, char text[D_HINT_MAX])
{
	const char *hint = d_hint_translated(node, text);

	if (*hint || strcmp(expected, "uintptr_t") != 0 || !d_type_is_pointer(node->type))
		return hint;
	if (!node->is_argument)
		return node->type->kind == D_TYPE_ARRAY ? "" : " (cast it to uintptr_t)";
	snprintf(text, D_HINT_MAX, " (use arg%u)", node->argument);
	return text;
}

const char *d_hint_printed(const struct d_node *node, char letter, char text[D_HINT_MAX])
{
	bool is_number = node->kind == D_NODE_NAME && node->identifier &&
		node->identifier->kind == D_IDENTIFIER_ARGUMENT;

	return letter == 's' && is_number ? " (D has copyinstr( ))" : d_hint_translated(node, text);
}

const char *d_hint_directive(const char *word)
{
	static const char *const words[] = {
		"include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], word))
			return " (option -C takes files through the C preprocessor)";
	return "";
}

/* Words that are reserved but unused in D: people use them as names, or as C's statements. */
static bool is_only_reserved(const char *text, size_t size)
{
	static const char *const words[] = {"auto", "break", "case", "continue", "counter",
		"default", "do", "for", "goto", "import", "probe", "register", "restrict", "return",
		"switch", "while"};
	size_t length = 0;

	while (length < size && (isalnum((unsigned char)text[length]) || text[length] == '_'))
		length++;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == length && !memcmp(words[i], text, length))
			return true;
	return false;
}

const char *d_hint_text(const char *text, size_t size)
{
	if (is_only_reserved(text, size))
		return " (a reserved word)";
	for (size_t i = 0; i < sizeof(characters) / sizeof(*characters); i++) {
		size_t length = strlen(characters[i].word);
		if (length <= size && !memcmp(characters[i].word, text, length))
			return characters[i].text;
	}
	return "";
}
