/*
 * parse_provider.h: definitions of providers in a tracing program and in libraries. Private to
 * src/d.
 *
 * They create no probes: a process has its own. They say what args[ ] are: the types of the probes'
 * arguments and, if there are outputs after a ':', which arguments args[ ] show and with which
 * types; if the types differ, a translator converts them. They are kept for the run.
 */
#ifndef VMTAP_D_PARSE_PROVIDER_H
#define VMTAP_D_PARSE_PROVIDER_H

#include "d/ast.h"

enum { D_PROVIDER_NAME_MAX = 63 /* bytes of the name of a provider or probe */ };

struct d_parameter;

/* A probe of a definition. */
struct d_prototype {
	struct d_prototype *next;
	struct d_place place;
	char name[D_PROVIDER_NAME_MAX + 1]; /* as tracers show it */
	struct d_parameter *native;         /* the probe's own arguments */
	struct d_parameter *output;         /* what args[ ] are; NULL: the same */
};

struct d_provider {
	struct d_provider *next; /* the one defined before it */
	uint32_t script;         /* that it is from */
	bool is_carried;         /* it came with the events of its probes */
	const struct d_name *name;
	struct d_prototype *probes;
};

/* From "provider" to the last ';', which is consumed. NULL: failed. */
struct d_provider *d_parse_provider(struct d_compiler *compiler);

#endif
