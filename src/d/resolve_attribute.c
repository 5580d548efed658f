/* resolve_attribute.c: see resolve_attribute.h. */
#include "d/resolve_attribute.h"

#include <string.h>

/* D's names whose attributes are not Stable/Stable/Common. */
static const struct {
	const char *name;
	struct stability stability;
} exceptions[] = {
	{"curthread", {STABILITY_STABLE, STABILITY_PRIVATE, STABILITY_COMMON}},
#define EVOLVING                                                                                   \
	{                                                                                          \
		STABILITY_EVOLVING, STABILITY_EVOLVING, STABILITY_COMMON                           \
	}
	{"ddi_pathname", EVOLVING},
	{"getmajor", EVOLVING},
	{"getminor", EVOLVING},
	{"htonl", EVOLVING},
	{"htonll", EVOLVING},
	{"htons", EVOLVING},
	{"mutex_owned", EVOLVING},
	{"mutex_owner", EVOLVING},
	{"mutex_type_adaptive", EVOLVING},
	{"mutex_type_spin", EVOLVING},
	{"ntohl", EVOLVING},
	{"ntohll", EVOLVING},
	{"ntohs", EVOLVING},
	{"rw_iswriter", EVOLVING},
	{"rw_read_held", EVOLVING},
	{"rw_write_held", EVOLVING},
#undef EVOLVING
};

void d_attributes_init(struct d_compiler *compiler)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
		struct d_name *name = d_names_get(
			&compiler->names, exceptions[i].name, strlen(exceptions[i].name));

		if (name && name->identifiers[D_SPACE_GLOBAL])
			name->identifiers[D_SPACE_GLOBAL]->stability = exceptions[i].stability;
	}
}

int d_attribute_use(struct d_compiler *compiler, struct stability stability, const char *what,
	const char *name, const struct d_place *place)
{
	char text[STABILITY_TEXT_MAX];

	compiler->attributes = stability_least(compiler->attributes, stability);
	if (!compiler->options.has_amin || compiler->attributes_hidden ||
		!stability_is_less(stability, compiler->options.amin))
		return 0;
	return d_fail(compiler, place, "D_ATTR_MIN",
		"attributes for %s %.200s (%s) are less than predefined minimum", what, name,
		stability_text(stability, text));
}

void d_attribute_claim(struct d_identifier *identifier)
{
	for (struct d_pragma *pragma = identifier->name->pragmas; pragma;
		pragma = pragma->next_of_name) {
		if (pragma->script != identifier->script)
			continue;
		pragma->claimed = true;
		if (pragma->has_stability)
			identifier->stability = pragma->stability;
		if (pragma->version)
			identifier->version = pragma->version;
	}
}

int d_attribute_unclaimed(struct d_compiler *compiler)
{
	for (const struct d_pragma *pragma = compiler->pragmas; pragma; pragma = pragma->next) {
		if (!pragma->claimed && pragma->name->seen != compiler->script + 1)
			return d_fail(compiler, &pragma->place, "D_PRAGMA_UNUSED",
				"unused #pragma %s: %s is not defined in the program", pragma->what,
				pragma->name->bytes);
	}
	return 0;
}

int d_attribute_check_scope(struct d_compiler *compiler, const struct d_pragma *pragma)
{
	const struct d_identifier *identifier =
		d_symbol_meaning(compiler, pragma->name, D_SPACE_GLOBAL);

	if (!identifier || identifier->script == compiler->script)
		return 0;
	return d_fail(compiler, &pragma->place, "D_PRAGMA_SCOPE",
		"#pragma %s may only be used on a definition of the same program: %s is %s",
		pragma->what, pragma->name->bytes,
		identifier->script == D_SCRIPT_BUILTIN ? "built in" : "defined by another program");
}

int d_attribute_check_scopes(struct d_compiler *compiler, const struct d_pragma *pragmas)
{
	int result = 0;

	for (; pragmas && !result; pragmas = pragmas->next)
		result = d_attribute_check_scope(compiler, pragmas);
	return result;
}

void d_attribute_forget(struct d_compiler *compiler)
{
	for (; compiler->pragmas; compiler->pragmas = compiler->pragmas->next)
		compiler->pragmas->name->pragmas = NULL;
}
