/*
 * random_program.c: see random_program.h. Declarations come first and fill tables of what exists;
 * clauses then use what is in the tables. An expression is written as text while it is chosen, from
 * outside to inside, so each function below writes one expression of its kind.
 */
#include "random_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum {
	NAME = 64,
	TYPES_MAX = 24,
	STRUCTS_MAX = 3,
	MEMBERS_MAX = 12,
	PLACES_MAX = 160,
	ELEMENTS_MAX = 8,
	INLINES_MAX = 6,
	AGGREGATIONS_MAX = 9,
	KEYS_MAX = 32,
	ARRAY = 4,
	DEPTH = 4
};

/* Something that can be read and assigned. */
struct place {
	char text[NAME];
	enum { INTEGER, TEXT, CHARACTERS, NUMBERS, OBJECT } kind;
	int structure;    /* of an OBJECT */
	bool is_bits;     /* a bit-field, which has no address */
	bool is_variable; /* as a whole, which has no address either */
};

struct member {
	char name[NAME];
	int kind, structure;
	bool is_bits;
};

struct structure {
	struct member members[MEMBERS_MAX];
	unsigned count;
	bool is_translated; /* there is a translator from int */
	char type[NAME];    /* a struct or a union */
};

/* Keys, of an element or an aggregation: i and s. */
struct keyed {
	char name[NAME], keys[KEYS_MAX + 1];
	bool is_text; /* elements */
	unsigned function;
};

struct inlined {
	char name[NAME];
	unsigned parameters;
};

struct generator {
	struct random random;
	FILE *out;
	char types[TYPES_MAX][NAME];
	struct structure structures[STRUCTS_MAX];
	struct place places[PLACES_MAX];
	struct keyed elements[ELEMENTS_MAX], aggregations[AGGREGATIONS_MAX];
	struct inlined inlines[INLINES_MAX];
	unsigned type_count, structure_count, place_count, element_count, inline_count;
	unsigned aggregation_count, used_aggregations;
	const char
		*parameters; /* names of integers, one letter each, in an inline or a translator */
	const char *event;   /* integers and strings of the clause's probe; NULL: none */
	bool has_stacks;     /* the variables of stacks() have been assigned */
	bool is_pure;        /* only literals, operators and parameters */
	bool is_in_keys;     /* of an element, which contain no further element */
};

static unsigned below(struct generator *generator, unsigned limit)
{
	return random_below(&generator->random, limit);
}

static bool one_in(struct generator *generator, unsigned count)
{
	return below(generator, count) == 0;
}

static __attribute__((format(printf, 2, 3))) void say(
	struct generator *generator, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(generator->out, format, arguments);
	va_end(arguments);
}

#define PICK(generator, list) ((list)[below(generator, sizeof(list) / sizeof((list)[0]))])

/* Mostly few keys. */
static unsigned key_count(struct generator *generator, unsigned least)
{
	return least + below(generator, one_in(generator, 12) ? KEYS_MAX + 1 - least : 4);
}

static const char *type(struct generator *generator)
{
	return generator->types[below(generator, generator->type_count)];
}

static void integer(struct generator *generator, unsigned depth);
static void text(struct generator *generator, unsigned depth);

static void literal(struct generator *generator)
{
	static const char *const edges[] = {"0", "1", "127", "128", "255", "256", "32767", "32768",
		"65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
		"9223372036854775807", "0x8000000000000000", "0xffffffffffffffff", "0x80000000",
		"0xffffffff", "1u", "3ul", "5l", "7ull", "2ll", "0777", "'a'", "'ab'", "'\\n'",
		"'\\377'", "'abcde'"};

	if (one_in(generator, 2))
		say(generator, "%u", below(generator, 10));
	else if (one_in(generator, 3))
		say(generator, "%u", below(generator, 1u << 31));
	else
		say(generator, "%s", PICK(generator, edges));
}

/* A place of this kind that satisfies the flags; NULL: there is none. */
static const struct place *place_of(struct generator *generator, int kind, bool is_addressed)
{
	const struct place *found = NULL;
	unsigned first = below(generator, PLACES_MAX);

	for (unsigned i = 0; i < generator->place_count && !found; i++) {
		const struct place *place =
			&generator->places[(first + i) % generator->place_count];
		if ((int)place->kind == kind &&
			!(is_addressed && (place->is_bits || place->is_variable)))
			found = place;
	}
	return found;
}

static void key_list(struct generator *generator, const char *keys, unsigned depth)
{
	for (unsigned i = 0; keys[i]; i++) {
		say(generator, i ? ", " : "");
		if (keys[i] == 's')
			text(generator, depth);
		else
			integer(generator, depth);
	}
}

/* An element of an associative array; false: there is none of this kind. */
static bool element(struct generator *generator, bool is_text, unsigned depth)
{
	for (unsigned tries = 0; generator->element_count && !generator->is_in_keys && tries < 4;
		tries++) {
		const struct keyed *keyed =
			&generator->elements[below(generator, generator->element_count)];
		if (keyed->is_text != is_text)
			continue;
		say(generator, "%s[", keyed->name);
		generator->is_in_keys = true;
		key_list(generator, keyed->keys, depth > 1 ? 1 : 0);
		generator->is_in_keys = false;
		say(generator, "]");
		return true;
	}
	return false;
}

/* Something that an integer can be assigned to. */
static void target(struct generator *generator, unsigned depth)
{
	const struct place *place = place_of(generator, INTEGER, false);
	const struct place *array = place_of(generator, NUMBERS, false);

	if (one_in(generator, 5) && element(generator, false, depth))
		return;
	if (array && one_in(generator, 5)) {
		say(generator, "%s[", array->text);
		if (one_in(generator, 2))
			say(generator, "%u", below(generator, ARRAY));
		else {
			say(generator, "(");
			integer(generator, depth);
			say(generator, ") & %u", ARRAY - !one_in(generator, 60));
		}
		say(generator, "]");
		return;
	}
	say(generator, "%s", place->text);
}

static void variable(struct generator *generator, unsigned depth)
{
	const struct place *addressed = place_of(generator, INTEGER, true);

	if (addressed && one_in(generator, 8))
		say(generator, "*(&%s)", addressed->text);
	else
		target(generator, depth);
}

static void leaf(struct generator *generator)
{
	const char *parameters = generator->parameters;

	if (parameters && !one_in(generator, 3)) {
		say(generator, "%c", parameters[below(generator, (unsigned)strlen(parameters))]);
		return;
	}
	if (generator->is_pure || one_in(generator, 3)) {
		literal(generator);
		return;
	}
	if (generator->event && one_in(generator, 2)) {
		const char *at = strchr(generator->event, '|');
		unsigned count = (unsigned)(at - generator->event), number = 0;

		/* the numbers of the integers are digits before the bar */
		if (count) {
			number = (unsigned)(generator->event[below(generator, count)] - '0');
			say(generator, one_in(generator, 2) ? "arg%u" : "args[%u]", number);
			return;
		}
	}
	switch (below(generator, 12)) {
	case 0:
		say(generator, "sizeof (%s)", type(generator));
		break;
	case 1:
		say(generator, "ENUM_%c", 'A' + (int)below(generator, 3));
		break;
	case 2:
		say(generator, "timestamp");
		break;
	case 3:
		say(generator, one_in(generator, 2) ? "tid" : "walltimestamp");
		break;
	case 4:
		/* p0 points into a0 */
		say(generator, "%s",
			PICK(generator,
				((const char *[]){"*p0", "p0[1]", "p0[-1]", "(p0 - &a0[0])",
					"(p0 == &a0[1])", "(p0 < &a0[2])", "*(p0 + 1)", "*p0++",
					"*--p0", "(p0 != NULL)"})));
		break;
	default:
		variable(generator, 0);
	}
}

static void parenthesized(struct generator *generator, unsigned depth)
{
	say(generator, "(");
	integer(generator, depth);
	say(generator, ")");
}

static void binary(struct generator *generator, unsigned depth)
{
	static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "<<", ">>", "<",
		"<=", ">", ">=", "==", "!=", "&&", "||", "^^", "+", "-", ">>", "<", "=="};

	if (one_in(generator, 7)) {
		parenthesized(generator, depth);
		say(generator, one_in(generator, 2) ? " / (" : " %% (");
		parenthesized(generator, depth);
		say(generator, one_in(generator, 40) ? ")" : " | 1)");
		return;
	}
	parenthesized(generator, depth);
	say(generator, " %s ", PICK(generator, operators));
	parenthesized(generator, depth);
}

static void assignment(struct generator *generator, unsigned depth)
{
	static const char *const operators[] = {
		"=", "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="};
	const char *operator= PICK(generator, operators);
	bool divides = operator[0] == '/' || operator[0] == '%';

	switch (below(generator, 6)) {
	case 0:
		target(generator, depth);
		say(generator, one_in(generator, 2) ? "++" : "--");
		break;
	case 1:
		say(generator, one_in(generator, 2) ? "++" : "--");
		target(generator, depth);
		break;
	default:
		target(generator, depth);
		say(generator, " %s ", operator);
		if (divides)
			say(generator, "1 | ");
		parenthesized(generator, depth);
	}
}

static void call(struct generator *generator, unsigned depth)
{
	static const char *const swaps[] = {"htons", "htonl", "htonll", "ntohs", "ntohl", "ntohll"};
	const struct inlined *inlined;
	bool is_pointer;

	switch (below(generator, 12)) {
	case 0:
		say(generator, "strlen(");
		text(generator, depth);
		say(generator, ")");
		break;
	case 1:
		say(generator, one_in(generator, 2) ? "index(" : "rindex(");
		text(generator, depth);
		say(generator, ", ");
		text(generator, depth);
		if (one_in(generator, 2)) {
			say(generator, ", ");
			integer(generator, depth);
		}
		say(generator, ")");
		break;
	case 2:
		text(generator, depth);
		say(generator, " %s ", PICK(generator, ((const char *[]){"==", "!=", "<", ">="})));
		text(generator, depth);
		break;
	case 3:
		say(generator, "strtoll(");
		text(generator, depth);
		say(generator, one_in(generator, 3) ? ", 16)" : ")");
		break;
	case 4:
		say(generator, "(");
		text(generator, depth);
		say(generator, ")[(");
		integer(generator, depth);
		say(generator, ") & 3]");
		break;
	case 5:
		if (!generator->inline_count)
			goto swap;
		inlined = &generator->inlines[below(generator, generator->inline_count)];
		say(generator, "%s", inlined->name);
		for (unsigned i = 0; i < inlined->parameters; i++) {
			say(generator, i ? ", " : "[");
			integer(generator, depth);
		}
		if (inlined->parameters)
			say(generator, "]");
		break;
	case 6:
		for (unsigned i = 0; i < generator->structure_count; i++) {
			const struct structure *structure = &generator->structures[i];
			if (!structure->is_translated)
				continue;
			is_pointer = one_in(generator, 2);
			say(generator, "xlate <%s%s> ((int)(", structure->type,
				is_pointer ? " *" : "");
			integer(generator, depth);
			say(generator, "))%s%s", is_pointer ? "->" : ".",
				structure->members[0].name);
			return;
		}
		goto swap;
	case 8:
		/* the + because a bit-field has no size */
		say(generator, "sizeof (+(");
		integer(generator, depth);
		say(generator, "))");
		break;
	case 9:
		if (!generator->structure_count)
			goto swap;
		say(generator, "offsetof(%s, m0)",
			generator->structures[below(generator, generator->structure_count)].type);
		break;
	case 7:
		say(generator, "((uint8_t *)alloca(8))[(");
		integer(generator, depth);
		say(generator, ") & 7]");
		break;
	default:
	swap:
		say(generator, "%s(", PICK(generator, swaps));
		integer(generator, depth);
		say(generator, ")");
	}
}

/* An expression with an integer as its value. */
static void integer(struct generator *generator, unsigned depth)
{
	static const char *const unary[] = {"-", "~", "!", "+"};

	if (!depth || one_in(generator, 8)) {
		leaf(generator);
		return;
	}
	depth--;
	switch (below(generator, generator->is_pure ? 7 : 10)) {
	case 0:
		say(generator, "%s", PICK(generator, unary));
		parenthesized(generator, depth);
		break;
	case 1:
		say(generator, "(%s)", type(generator));
		parenthesized(generator, depth);
		break;
	case 2:
		parenthesized(generator, depth);
		say(generator, " ? ");
		parenthesized(generator, depth);
		say(generator, " : ");
		parenthesized(generator, depth);
		break;
	case 7:
		say(generator, "(");
		call(generator, depth);
		say(generator, ")");
		break;
	case 8:
		say(generator, "(");
		assignment(generator, depth ? depth - 1 : 0);
		if (one_in(generator, 3)) {
			say(generator, ", ");
			integer(generator, depth);
		}
		say(generator, ")");
		break;
	default:
		binary(generator, depth);
	}
}

static void text_leaf(struct generator *generator)
{
	static const char *const literals[] = {"\"\"", "\"a\"", "\"abc\"", "\"a,b;c\"",
		"\"/usr//lib/../x\"", "\"12345\"", "\"-0x1f\"", "\"\\tq\\n\"",
		"\"a string of more than thirty-three characters\"", "\"Worker\""};
	const struct place *place =
		place_of(generator, one_in(generator, 3) ? CHARACTERS : TEXT, false);
	const char *bar = generator->event ? strchr(generator->event, '|') : NULL;

	if (bar && bar[1] && one_in(generator, 2)) {
		unsigned number =
			(unsigned)(bar[1 + below(generator, (unsigned)strlen(bar + 1))] - '0');
		say(generator, one_in(generator, 2) ? "copyinstr(arg%u)" : "stringof(args[%u])",
			number);
	} else if (one_in(generator, 40) && element(generator, true, 0)) {
		return;
	} else if (place && one_in(generator, 2)) {
		/* a string that was never stored is NULL, which is a fault in most places */
		if (place->kind == TEXT && !one_in(generator, 20))
			say(generator, "(%s == NULL ? \"none\" : %s)", place->text, place->text);
		else
			say(generator, one_in(generator, 2) ? "stringof(%s)" : "(string)%s",
				place->text);
	} else if (one_in(generator, 10)) {
		say(generator, "probename");
	} else {
		say(generator, "%s", PICK(generator, literals));
	}
}

static void text_call(struct generator *generator, unsigned depth)
{
	static const char *const plain[] = {
		"toupper", "tolower", "basename", "dirname", "cleanpath"};

	switch (below(generator, 13)) {
	case 9:
		say(generator,
			"json(\"{\\\"a\\\": [1, {\\\"b\\\": \\\"c\\\"}], \\\"d\\\": -7}\", \"%s\"",
			PICK(generator, ((const char *[]){"a", "a[0]", "a[1].b", "d"})));
		break;
	case 10:
		say(generator, "inet_ntop(%u, alloca(16)", one_in(generator, 2) ? 2 : 10);
		break;
	case 11:
		say(generator, "(strtok(NULL, \";\") == NULL ? strjoin(\"end\", ");
		text(generator, depth);
		say(generator, ") : \"more\"");
		break;
	case 12:
		say(generator, "strreplace(");
		text(generator, depth);
		say(generator, ", \"a\", \"%s\"",
			PICK(generator, ((const char *[]){"", "b", "aba"})));
		break;
	case 0:
		say(generator, "strjoin(");
		text(generator, depth);
		say(generator, ", ");
		text(generator, depth);
		break;
	case 1:
	case 2:
		say(generator, "substr(");
		text(generator, depth);
		say(generator, ", ");
		integer(generator, depth);
		if (one_in(generator, 2)) {
			say(generator, ", ");
			integer(generator, depth);
		}
		break;
	case 3:
		/* These give NULL if there is no match, so there mostly is one. */
		say(generator, one_in(generator, 2) ? "strchr(strjoin(" : "strrchr(strjoin(");
		text(generator, depth);
		say(generator, ", \"abc\"), '%c'", 'a' + (int)below(generator, 3));
		break;
	case 4:
		say(generator, "strstr(strjoin(");
		text(generator, depth);
		say(generator, ", \"b;c\"), \"%s\"",
			PICK(generator, ((const char *[]){"b", ";", "", "b;c"})));
		break;
	case 5:
		say(generator, "strtok(strjoin(\"x\", ");
		text(generator, depth);
		say(generator, "), \",;/ \"");
		break;
	case 6:
	case 7:
		say(generator, "lltostr(");
		integer(generator, depth);
		if (one_in(generator, 3))
			say(generator, ", %u", 2 + below(generator, 35));
		break;
	default:
		say(generator, "%s(", PICK(generator, plain));
		text(generator, depth);
	}
	say(generator, ")");
}

/* An expression with a string as its value. */
static void text(struct generator *generator, unsigned depth)
{
	if (!depth || one_in(generator, 3)) {
		text_leaf(generator);
		return;
	}
	depth--;
	switch (below(generator, 6)) {
	case 0:
		say(generator, "((");
		integer(generator, depth);
		say(generator, ") ? ");
		text(generator, depth);
		say(generator, " : ");
		text(generator, depth);
		say(generator, ")");
		break;
	case 1:
		say(generator, "(strjoin(\"z\", ");
		text(generator, depth);
		say(generator, ") + ((");
		integer(generator, depth);
		say(generator, ") & 1))");
		break;
	default:
		text_call(generator, depth);
	}
}

static void add_place(struct generator *generator, const char *name, int kind, int structure,
	bool is_bits, bool is_variable)
{
	struct place *place = &generator->places[generator->place_count];

	if (generator->place_count == PLACES_MAX)
		return;
	generator->place_count++;
	snprintf(place->text, sizeof(place->text), "%s", name);
	place->kind = kind;
	place->structure = structure;
	place->is_bits = is_bits;
	place->is_variable = is_variable;
}

/* A variable of a struct, and what is in it. */
static void add_object(
	struct generator *generator, const char *name, int structure, bool is_variable)
{
	const struct structure *from = &generator->structures[structure];

	add_place(generator, name, OBJECT, structure, false, is_variable);
	for (unsigned i = 0; i < from->count; i++) {
		const struct member *member = &from->members[i];
		char path[NAME];

		if (snprintf(path, sizeof(path), "%s.%s", name, member->name) >= (int)sizeof(path))
			continue;
		if (member->kind == OBJECT)
			add_object(generator, path, member->structure, false);
		else
			add_place(generator, path, member->kind, 0, member->is_bits, false);
	}
}

static void declare_types(struct generator *generator)
{
	static const char *const first[] = {"char", "unsigned char", "short", "unsigned short",
		"int", "unsigned int", "long", "unsigned long", "long long", "int8_t", "uint8_t",
		"int16_t", "uint32_t", "int64_t", "uint64_t", "size_t"};

	for (unsigned i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		strcpy(generator->types[generator->type_count++], first[i]);
	for (unsigned i = below(generator, 3); i; i--) {
		say(generator, "typedef %s t%u;\n", type(generator), i);
		snprintf(generator->types[generator->type_count++], NAME, "t%u", i);
	}
	say(generator, "enum e { ENUM_A, ENUM_B = %d, ENUM_C };\n",
		(int)below(generator, 200) - 100);
	strcpy(generator->types[generator->type_count++], "enum e");
}

static void declare_member(struct generator *generator, struct member *member, unsigned number)
{
	static const struct {
		const char *type;
		unsigned bits;
	} units[] = {{"int", 32}, {"unsigned int", 32}, {"char", 8}, {"unsigned short", 16},
		{"long", 64}, {"uint64_t", 64}};
	unsigned unit = below(generator, 6);

	snprintf(member->name, sizeof(member->name), "m%u", number);
	member->kind = INTEGER;
	switch (number ? below(generator, 9) : 0) {
	case 1:
		member->kind = CHARACTERS;
		say(generator, "\tchar m%u[%u];\n", number, 4 + below(generator, 8));
		break;
	case 2:
		member->kind = NUMBERS;
		say(generator, "\t%s m%u[%u];\n", type(generator), number, ARRAY);
		break;
	case 3:
		member->kind = TEXT;
		say(generator, "\tstring m%u;\n", number);
		break;
	case 4:
	case 5:
	case 6:
		member->is_bits = true;
		say(generator, "\t%s m%u:%u;\n", units[unit].type, number,
			1 + below(generator, units[unit].bits));
		break;
	case 7:
		if (generator->structure_count) {
			member->kind = OBJECT;
			member->structure = (int)below(generator, generator->structure_count);
			say(generator, "\t%s m%u;\n", generator->structures[member->structure].type,
				number);
			break;
		}
		__attribute__((fallthrough));
	default:
		say(generator, "\t%s m%u;\n", type(generator), number);
	}
}

static void declare_structure(struct generator *generator)
{
	unsigned number = generator->structure_count;
	struct structure *structure = &generator->structures[number];

	snprintf(structure->type, sizeof(structure->type), "%s s%u",
		one_in(generator, 5) ? "union" : "struct", number);
	say(generator, "%s {\n", structure->type);
	structure->count = 1 + below(generator, 5);
	for (unsigned i = 0; i < structure->count; i++)
		declare_member(generator, &structure->members[i], i);
	say(generator, "};\n");
	generator->structure_count++;
	if (one_in(generator, 2))
		return;
	structure->is_translated = true;
	generator->is_pure = true;
	generator->parameters = "p";
	say(generator, "translator %s < int p > {\n\tm0 = ", structure->type);
	integer(generator, 2);
	say(generator, ";\n};\n");
	generator->is_pure = false;
	generator->parameters = NULL;
}

static void declare_inline(struct generator *generator)
{
	unsigned number = generator->inline_count;
	struct inlined *inlined = &generator->inlines[number];

	snprintf(inlined->name, sizeof(inlined->name), "I%u", number);
	inlined->parameters = below(generator, 3);
	say(generator, "inline %s I%u", type(generator), number);
	for (unsigned i = 0; i < inlined->parameters; i++)
		say(generator, "%s%s %c", i ? ", " : "[", type(generator), "ab"[i]);
	say(generator, inlined->parameters ? "] = " : " = ");
	generator->is_pure = true;
	generator->parameters = inlined->parameters == 2 ? "ab" : inlined->parameters ? "a" : NULL;
	integer(generator, 2);
	say(generator, ";\n");
	generator->is_pure = false;
	generator->parameters = NULL;
	generator->inline_count++;
}

static const char *const scopes[] = {"", "self", "this"};
static const char *const prefixes[] = {"", "self->", "this->"};

static void declare_variables(struct generator *generator)
{
	char name[NAME];

	for (unsigned i = 0; i < 8 + below(generator, 6); i++) {
		unsigned scope = i ? below(generator, 3) : 0;
		snprintf(name, sizeof(name), "%sv%u", prefixes[scope], i);
		say(generator, "%s %s v%u;\n", scopes[scope], type(generator), i);
		add_place(generator, name, INTEGER, 0, false, true);
	}
	for (unsigned i = 0; i < 3; i++) {
		say(generator, "%s string w%u;\n", scopes[i], i);
		snprintf(name, sizeof(name), "%sw%u", prefixes[i], i);
		add_place(generator, name, TEXT, 0, false, true);
	}
	for (unsigned i = 0; i < 1 + below(generator, 2); i++) {
		const char *of = type(generator);
		say(generator, "%s a%u[%u];\n%s *p%u;\n", of, i, ARRAY, of, i);
		snprintf(name, sizeof(name), "a%u", i);
		add_place(generator, name, NUMBERS, 0, false, true);
		/* elements that are arrays */
		say(generator, "%s z%u[int, string][%u];\n", of, i, ARRAY);
		snprintf(name, sizeof(name), "z%u[v0, probename]", i);
		add_place(generator, name, NUMBERS, 0, false, true);
	}
	for (unsigned i = 0; i < generator->structure_count + 1 && generator->structure_count;
		i++) {
		unsigned scope = below(generator, 3),
			 structure = below(generator, generator->structure_count);
		say(generator, "%s %s o%u;\n", scopes[scope], generator->structures[structure].type,
			i);
		snprintf(name, sizeof(name), "%so%u", prefixes[scope], i);
		add_object(generator, name, (int)structure, true);
	}
	for (unsigned i = 0; i < generator->structure_count; i++) {
		/* elements that are objects, by a key that changes and by one that does not */
		const char *of = generator->structures[i].type;
		say(generator, "%s y%u[int];\nthis %s *q%u;\n", of, i, of, i);
		snprintf(name, sizeof(name), "y%u[v0]", i);
		add_object(generator, name, (int)i, true);
		snprintf(name, sizeof(name), "y%u[3]", i);
		add_object(generator, name, (int)i, true);
	}
	say(generator, "this char *memory;\nint spec;\n");
}

static void declare_elements(struct generator *generator)
{
	for (unsigned i = 0; i < 2 + below(generator, 4); i++) {
		struct keyed *keyed = &generator->elements[generator->element_count++];
		unsigned scope = below(generator, 2), count = key_count(generator, 1);

		keyed->is_text = one_in(generator, 3);
		snprintf(keyed->name, sizeof(keyed->name), "%sx%u", prefixes[scope], i);
		say(generator, "%s %s x%u[", scopes[scope],
			keyed->is_text ? "string" : type(generator), i);
		for (unsigned k = 0; k < count; k++) {
			keyed->keys[k] = one_in(generator, 3) ? 's' : 'i';
			say(generator, "%s%s", k ? ", " : "",
				keyed->keys[k] == 's' ? "string" : type(generator));
		}
		say(generator, "];\n");
	}
}

static void choose_aggregations(struct generator *generator)
{
	generator->aggregation_count = 2 + below(generator, AGGREGATIONS_MAX - 2);
	for (unsigned i = 0; i < generator->aggregation_count; i++) {
		struct keyed *keyed = &generator->aggregations[i];
		unsigned count = key_count(generator, 0);

		snprintf(keyed->name, sizeof(keyed->name), "@g%u", i);
		keyed->function = below(generator, 9);
		for (unsigned k = 0; k < count; k++)
			keyed->keys[k] = one_in(generator, 3) ? 's' : 'i';
	}
}

static void aggregate(struct generator *generator)
{
	static const char *const functions[] = {"count()", "sum(", "min(", "max(", "avg(",
		"stddev(", "quantize(", "lquantize(", "llquantize("};
	unsigned number = below(generator, generator->aggregation_count);
	const struct keyed *keyed = &generator->aggregations[number];

	/* Names are first mentioned in the order of their numbers, so that printa() knows them. */
	if (number > generator->used_aggregations)
		keyed = &generator->aggregations[number = generator->used_aggregations];
	if (number == generator->used_aggregations)
		generator->used_aggregations++;
	say(generator, "%s", keyed->name);
	if (*keyed->keys) {
		/* with few different keys, or with many */
		say(generator, "[");
		for (unsigned i = 0; keyed->keys[i]; i++) {
			say(generator, i ? ", " : "");
			if (keyed->keys[i] == 's')
				text(generator, 1);
			else if (one_in(generator, 2))
				integer(generator, 2);
			else
				say(generator, "(int)v0 %% 5");
		}
		say(generator, "]");
	}
	say(generator, " = %s", functions[keyed->function]);
	if (!keyed->function)
		return;
	integer(generator, 2);
	if (keyed->function == 7)
		say(generator, ", -10, 100, 7");
	if (keyed->function == 8)
		say(generator, ", 10, 0, 6, 20");
	if (keyed->function >= 6 && one_in(generator, 4)) {
		say(generator, ", ");
		integer(generator, 1);
	}
	say(generator, ")");
}

static void printa(struct generator *generator)
{
	static const char *const changes[] = {"clear(%s)", "trunc(%s)", "trunc(%s, 2)",
		"normalize(%s, 3)", "denormalize(%s)", "trunc(%s, -1)"};
	const struct keyed *keyed;

	if (!generator->used_aggregations) {
		aggregate(generator);
		return;
	}
	keyed = &generator->aggregations[below(generator, generator->used_aggregations)];
	if (one_in(generator, 4)) {
		const char *change = PICK(generator, changes);
		const char *at = strchr(change, '%');
		say(generator, "%.*s%s%s", (int)(at - change), change, keyed->name, at + 2);
		return;
	}
	for (unsigned i = 0; i < generator->used_aggregations && one_in(generator, 2); i++) {
		const struct keyed *other = &generator->aggregations[i];
		if (other == keyed || strcmp(other->keys, keyed->keys) != 0)
			continue;
		say(generator, "printa(%s, %s)", keyed->name, other->name);
		return;
	}
	say(generator, "printa(");
	if (one_in(generator, 2)) {
		say(generator, "\"");
		for (unsigned i = 0; keyed->keys[i]; i++)
			say(generator, "%s ", keyed->keys[i] == 's' ? "%-8s" : "%d");
		say(generator, "%s\\n\", ",
			PICK(generator, ((const char *[]){"%@d", "%@8d", "%@u", "%@x"})));
	}
	say(generator, "%s)", keyed->name);
}

/* A conversion for integers of one size only, and the cast to it. */
static const char *const *sized(char kind)
{
	static const char *const conversions[][2] = {{"%ld", "(long)"}, {"%hd", "(short)"},
		{"%llx", "(unsigned long long)"}, {"%Y", "(uint64_t)(uint32_t)"},
		{"%p", "(unsigned long)"}};

	return conversions[kind == 'l' ? 0
			: kind == 'h'  ? 1
			: kind == 'L'  ? 2
			: kind == 'Y'  ? 3
				       : 4];
}

static void print_formatted(struct generator *generator)
{
	static const char *const formats[] = {"%d", "%u", "%x", "%o", "%5d", "%-7d|", "%05d", "%+d",
		"%#x", "%i", "%X", "%.3d", "% d", "%hhd"};
	static const char *const texts[] = {"%s", "%10s", "%-10s|", "%.3s", "%S"};
	char kinds[6];
	unsigned count = 1 + below(generator, 5);

	say(generator, "printf(\"");
	for (unsigned i = 0; i < count; i++) {
		kinds[i] = "iiiiissscc*lhLYp"[below(generator, 16)];
		if (kinds[i] == 's')
			say(generator, "%s ", PICK(generator, texts));
		else if (kinds[i] == 'c')
			say(generator, "%s ", one_in(generator, 2) ? "%c" : "%C");
		else if (kinds[i] == '*')
			say(generator, "%%*d ");
		else if (strchr("lhLYp", kinds[i]))
			say(generator, "%s ", sized(kinds[i])[0]);
		else
			say(generator, "%s ",
				formats[below(
					generator, sizeof(formats) / sizeof(formats[0]) - 1)]);
	}
	say(generator, "\\n\"");
	for (unsigned i = 0; i < count; i++) {
		say(generator, ", ");
		if (kinds[i] == 's') {
			text(generator, 2);
			continue;
		}
		if (kinds[i] == 'c')
			say(generator, "(char)");
		if (strchr("lhLYp", kinds[i]))
			say(generator, "%s", sized(kinds[i])[1]);
		if (kinds[i] == '*') {
			say(generator, "(");
			integer(generator, 1);
			say(generator, ") & 15, ");
		}
		parenthesized(generator, DEPTH);
	}
	say(generator, ")");
}

static void copy_object(struct generator *generator)
{
	const struct place *to = place_of(generator, OBJECT, false);

	for (unsigned i = 0; to && i < generator->place_count; i++) {
		const struct place *from = &generator->places[i];
		if (from->kind != OBJECT || from->structure != to->structure || from == to)
			continue;
		say(generator, "%s = %s", to->text, from->text);
		return;
	}
	assignment(generator, 2);
}

static void copy_memory(struct generator *generator)
{
	const struct place *array = place_of(generator, NUMBERS, false);

	say(generator, "this->memory = (char *)alloca(%u); bcopy(&%s[%u], this->memory, (",
		1 + below(generator, 16), array->text, below(generator, 2));
	integer(generator, 1);
	say(generator, ") & 7); trace(this->memory[%u]); ", below(generator, 9));
	say(generator,
		one_in(generator, 2) ? "tracemem(this->memory, 1)"
				     : "trace(*(short *)this->memory)");
}

/* A struct that only a pointer leads to. */
static void use_pointer(struct generator *generator)
{
	const char *of;
	unsigned number;

	if (!generator->structure_count) {
		say(generator, "p0 = &a0[%u]", below(generator, ARRAY));
		return;
	}
	number = below(generator, generator->structure_count);
	of = generator->structures[number].type;
	say(generator, "this->q%u = (%s *)alloca(sizeof (%s)); this->q%u->m0 ", number, of, of,
		number);
	say(generator, "%s ", PICK(generator, ((const char *[]){"=", "+=", "-=", "|="})));
	integer(generator, 2);
	say(generator, "; trace(this->q%u->m0); trace(*this->q%u); ", number, number);
	say(generator, "y%u[4] = *this->q%u", number, number);
}

static void trace(struct generator *generator)
{
	const struct place *place;

	switch (below(generator, 6)) {
	case 4:
		place = place_of(generator, INTEGER, true);
		say(generator, place ? "print(&%s)" : "ustack()", place ? place->text : "");
		break;
	case 0:
		say(generator, "trace(");
		text(generator, 3);
		say(generator, ")");
		break;
	case 1:
		place = place_of(generator,
			PICK(generator, ((const int[]){OBJECT, CHARACTERS, NUMBERS})), false);
		say(generator, "trace(%s)", place ? place->text : "1");
		break;
	default:
		say(generator, "trace(");
		integer(generator, DEPTH);
		say(generator, ")");
	}
}

/* Variables that hold stacks of the guest program. */
static const char *const stacks[] = {"k0", "self->k1", "this->k2", "k3[v0 & 3]", "self->k4[k0]"};

/* Their first assignments, which give them their type. */
static void assign_stacks(struct generator *generator)
{
	for (unsigned i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		say(generator, "\t%s = jstack(%u);\n", stacks[i], 1 + below(generator, 4));
	generator->has_stacks = true;
}

static const char *stack(struct generator *generator)
{
	return generator->event && one_in(generator, 3) ? "jstack()" : PICK(generator, stacks);
}

static void use_stacks(struct generator *generator)
{
	const char *variable = PICK(generator, stacks);

	switch (below(generator, 8)) {
	case 0:
	case 1:
		say(generator, "%s = %s", variable, stack(generator));
		break;
	case 2:
		say(generator, "%s = NULL", variable);
		break;
	case 3:
		say(generator, "trace(%s %s %s)", variable, one_in(generator, 2) ? "==" : "!=",
			one_in(generator, 3) ? "0" : stack(generator));
		break;
	case 4:
		say(generator, "%s = ", variable);
		parenthesized(generator, 2);
		say(generator, " ? %s : %s", PICK(generator, stacks),
			one_in(generator, 3) ? "NULL" : variable);
		break;
	case 5:
		say(generator, "@stacks[%s] = count()", stack(generator));
		break;
	case 6:
		say(generator, "printf(\"%%k|\", %s)", stack(generator));
		break;
	default:
		say(generator, "%s(%s)", one_in(generator, 2) ? "trace" : "print",
			stack(generator));
	}
}

static void statements(struct generator *generator, unsigned depth);

static void statement(struct generator *generator, unsigned depth)
{
	const struct place *place;

	if (generator->has_stacks && one_in(generator, 5)) {
		use_stacks(generator);
		say(generator, ";\n");
		return;
	}
	switch (below(generator, 14)) {
	case 0:
	case 1:
	case 2:
		assignment(generator, DEPTH);
		break;
	case 3:
		place = place_of(generator, TEXT, false);
		if (one_in(generator, 3) && element(generator, true, 1))
			say(generator, " = ");
		else
			say(generator, "%s = ", place->text);
		if (one_in(generator, 8))
			say(generator, "NULL");
		else
			text(generator, 3);
		break;
	case 4:
		if (one_in(generator, 3))
			use_pointer(generator);
		else
			copy_object(generator);
		break;
	case 5:
		if (!depth) {
			copy_memory(generator);
			break;
		}
		say(generator, "if (");
		integer(generator, 2);
		say(generator, ") {\n");
		statements(generator, depth - 1);
		if (one_in(generator, 2)) {
			say(generator, "\t} else {\n");
			statements(generator, depth - 1);
		}
		say(generator, "\t}\n");
		return;
	case 6:
		printa(generator);
		break;
	case 7:
	case 8:
		aggregate(generator);
		break;
	case 9:
		if (element(generator, false, 1)) {
			say(generator, " = 0");
			break;
		}
		__attribute__((fallthrough));
	case 10:
	case 11:
		trace(generator);
		break;
	default:
		print_formatted(generator);
	}
	say(generator, ";\n");
}

static void statements(struct generator *generator, unsigned depth)
{
	for (unsigned i = 1 + below(generator, 4); i; i--) {
		say(generator, "\t");
		statement(generator, depth);
	}
}

/* Probes, with the numbers of their integers and strings. */
static const struct {
	const char *description, *arguments;
} probes[] = {{"BEGIN", NULL}, {"BEGIN", NULL}, {"END", NULL}, {"tick-5000", NULL},
	{"tick-1ms", NULL}, {"ERROR", NULL}, {"vm*:::method-entry", "34|012"},
	{"vm*:::method-entry", "34|012"}, {"vm*:::user-msg", "0|1"},
	{"vm*:::numbers", "012345678|"}, {"vm*:::symbol-create", "2|01"},
	{"one*:::full-start", "0|"}, {"other*:::collection", "12|"}, {"vm*:::collection", "012|"}};

enum { OWN_PROBES = 6, PROBES = sizeof(probes) / sizeof(probes[0]) };

static void describe(struct generator *generator, unsigned probe)
{
	generator->event = probes[probe].arguments;
	say(generator, "%s\n", probes[probe].description);
}

static void clause(struct generator *generator, unsigned probe)
{
	describe(generator, probe);
	if (one_in(generator, 3)) {
		say(generator, "/");
		parenthesized(generator, 2);
		say(generator, "/\n");
	}
	say(generator, "{\n\tp0 = &a0[1];\n");
	if (!strcmp(probes[probe].description, "ERROR"))
		say(generator, "\tprintf(\"fault %%d\\n\", arg4);\n");
	if (generator->event && one_in(generator, 4))
		assign_stacks(generator);
	statements(generator, 2);
	if (one_in(generator, 25))
		say(generator, "\texit(%u);\n", below(generator, 4));
	say(generator, "}\n");
}

static void speculate(struct generator *generator, unsigned probe)
{
	describe(generator, probe);
	say(generator, "{\n\tspec = speculation();\n}\n");
	describe(generator, probe);
	say(generator, "{\n\tspeculate(spec);\n\t");
	print_formatted(generator);
	say(generator, ";\n}\n");
	describe(generator, one_in(generator, 2) ? probe : 4);
	say(generator, "/spec/\n{\n\t%s(spec);\n}\n", one_in(generator, 2) ? "commit" : "discard");
}

static void options(struct generator *generator)
{
	static const char *const choices[] = {"quiet", "quiet", "strsize=20", "aggsortkey",
		"aggsortrev", "rawbytes", "flowindent", "nspec=3", "dynvarsize=512", "aggpercpu",
		"aggpack", "scratchsize=16", "aggsortkeypos=1", "aggsortpos=1", "agghist",
		"aggzoom"};

	say(generator, "#pragma D option scratchsize=8k\n");
	for (unsigned i = below(generator, 4); i; i--)
		say(generator, "#pragma D option %s\n", PICK(generator, choices));
}

void random_program_make(struct random_program *program, uint64_t seed)
{
	struct generator *generator = calloc(1, sizeof(*generator));
	bool has_events;

	*program = (struct random_program){NULL, 0, false};
	if (generator)
		generator->out = open_memstream(&program->text, &program->length);
	if (!generator || !generator->out) {
		free(generator);
		return;
	}
	generator->random.state = seed;
	has_events = one_in(generator, 3);
	options(generator);
	declare_types(generator);
	for (unsigned i = below(generator, STRUCTS_MAX + 1); i; i--)
		declare_structure(generator);
	for (unsigned i = below(generator, INLINES_MAX); i; i--)
		declare_inline(generator);
	declare_variables(generator);
	declare_elements(generator);
	choose_aggregations(generator);
	clause(generator, 0);
	for (unsigned i = 1 + below(generator, 5); i; i--) {
		unsigned probe = below(generator, has_events ? PROBES : OWN_PROBES);
		program->has_events |= probe >= OWN_PROBES;
		if (one_in(generator, 8) && probe != 5)
			speculate(generator, probe);
		else
			clause(generator, probe);
	}
	fclose(generator->out);
	free(generator);
}
