/*
 * lex_pragma.c: #pragma D attributes, binding and depends_on.
 */
#include <string.h>

#include "d/lex_control.h"
#include "d/resolve_attribute.h"
#include "d/resolve_dependency.h"
#include "d/resolve_provider.h"
#include "program/option.h"

static int malformed(struct d_words *words, const char *form)
{
	return d_fail(
		words->compiler, &words->place, "D_PRAGMA_MALFORM", "malformed #pragma D %s", form);
}

/* The line must end here. */
static int expect_end(struct d_words *words, const char *form)
{
	return *d_words_next(words) ? malformed(words, form) : 0;
}

/*
 * Adds a pragma for a name of this script; what is what it sets. It is applied at once if the name
 * is defined, else when it is defined. NULL: failed.
 */
static struct d_pragma *of_name(struct d_words *words, const char *what, const char *text)
{
	struct d_compiler *compiler = words->compiler;
	struct d_name *name = d_names_get(&compiler->names, text, strlen(text));
	struct d_pragma *pragma;

	if (!name) {
		d_fail_memory(compiler);
		return NULL;
	}
	pragma = d_get(compiler, sizeof(*pragma));
	if (!pragma)
		return NULL;
	pragma->name = name;
	pragma->place = words->place;
	pragma->what = what;
	pragma->script = compiler->script;
	if (d_attribute_check_scope(compiler, pragma))
		return NULL;
	pragma->next = compiler->pragmas;
	compiler->pragmas = pragma;
	pragma->next_of_name = name->pragmas;
	name->pragmas = pragma;
	return pragma;
}

static void settle(const struct d_compiler *compiler, const struct d_pragma *pragma)
{
	struct d_identifier *identifier = d_symbol_meaning(compiler, pragma->name, D_SPACE_GLOBAL);

	if (identifier)
		d_attribute_claim(identifier);
}

/* attributes N/D/C provider NAME provider|module|function|name|args */
static int provider_attributes(struct d_words *words)
{
	static const char form[] =
		"attributes <attributes> provider <provider> <provider|module|function|name|args>";
	struct d_compiler *compiler = words->compiler;
	const char *provider = d_words_next(words), *part;
	struct d_place place = words->place;

	part = d_words_next(words);
	if (!*provider || !*part)
		return malformed(words, form);
	if (stability_part(part, strlen(part)) < 0)
		return d_fail(compiler, &words->place, "D_PRAGMA_INVAL",
			"invalid element in #pragma D attributes: %.100s", part);
	if (expect_end(words, form))
		return -1;
	return d_provider_attributes(compiler, &place, provider);
}

int d_pragma_attributes(struct d_words *words)
{
	static const char form[] = "attributes <attributes> <identifier>";
	struct d_compiler *compiler = words->compiler;
	const char *text = d_words_next(words), *name;
	struct d_place place = words->place;
	struct stability stability;
	struct d_pragma *pragma;

	if (!*text)
		return malformed(words, form);
	name = d_words_next(words);
	if (!*name)
		return malformed(words, form);
	if (!stability_parse(text, strlen(text), &stability))
		return d_fail(compiler, &place, "D_PRAGMA_INVAL",
			"invalid attributes in #pragma D attributes: %.100s", text);
	if (!strcmp(name, "provider"))
		return provider_attributes(words);
	pragma = of_name(words, "attributes", name);
	if (!pragma || expect_end(words, form))
		return -1;
	pragma->has_stability = true;
	pragma->stability = stability;
	settle(compiler, pragma);
	return 0;
}

int d_pragma_binding(struct d_words *words)
{
	static const char form[] = "binding \"version\" <identifier>";
	struct d_compiler *compiler = words->compiler;
	char *text = (char *)d_words_next(words);
	struct d_place place = words->place;
	size_t length = strlen(text);
	struct d_pragma *pragma;
	const char *name;
	uint32_t version;

	if (length < 2 || *text != '"' || text[length - 1] != '"')
		return malformed(words, form);
	text[length - 1] = '\0';
	name = d_words_next(words);
	if (!*name)
		return malformed(words, form);
	if (!d_version_parse(text + 1, &version) || version > D_VERSION_CURRENT)
		return d_fail(compiler, &place, "D_PRAGMA_INVAL",
			"invalid version string in #pragma D binding: %.100s", text + 1);
	pragma = of_name(words, "binding", name);
	if (!pragma || expect_end(words, form))
		return -1;
	pragma->version = version;
	settle(compiler, pragma);
	return 0;
}

int d_pragma_depends_on(struct d_words *words)
{
	static const char form[] = "depends_on <provider|module|library> <name>";
	struct d_compiler *compiler = words->compiler;
	const char *kind = d_words_next(words), *name;
	struct d_place place = words->place;

	name = d_words_next(words);
	if (!*kind || !*name || *d_words_next(words))
		return malformed(words, form);
	if (!strcmp(kind, "library")) {
		if (compiler->library)
			return 0; /* already handled by the order of loading */
		return d_fail(compiler, &place, "D_PRAGMA_DEPEND",
			"main program may not explicitly depend on a library: %.100s", name);
	}
	if (strcmp(kind, "provider") != 0 && strcmp(kind, "module") != 0)
		return d_fail(compiler, &place, "D_PRAGMA_INVAL",
			"invalid class in #pragma D depends_on: %.100s", kind);
	if (!compiler->library)
		return d_dependency_add(compiler, &place, *kind == 'p', name);
	compiler->library_unwanted = !d_dependency_is_met(compiler, *kind == 'p', name);
	return compiler->library_unwanted ? -1 : 0;
}
