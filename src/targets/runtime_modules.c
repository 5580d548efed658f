/*
 * runtime_modules.c: see runtime_modules.h. A runtime is a row of a table: the file of its module
 * within the folder, its variable, and the function that makes the value. A value begins with a
 * mark by which it is recognised, so that nothing is loaded twice.
 */
#include "targets/runtime_modules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Lua: code that the interpreter runs before the script ---- */

static const char lua_begin[] = "do local f, m = package.loadlib(\"";
static const char lua_end[] =
	"\", \"luaopen_vmtap\") if f then f, m = pcall(f, \"vmtap\") end "
	"if f then package.loaded.vmtap = m elseif (\",\" .. (os.getenv(\"VMTAP_DEBUG\") or \"\") "
	".. \",\"):find(\",module,\", 1, true) then "
	"io.stderr:write(\"vmtap: module: lua5.4: \", tostring(m), \"\\n\") end end";

/* Writes a text as it stands within quotes in Lua. Returns its end. */
static char *lua_quote(char *to, const char *text)
{
	for (; *text; text++)
		to += sprintf(to,
			*text == '"' || *text == '\\'          ? "\\%c"
				: *(unsigned char *)text < ' ' ? "\\%03d"
							       : "%c",
			*text);
	return to;
}

/* As the interpreter itself, which takes the first of the two variables that is set: "@FILE" is a
 * file's name, anything else is code. */
static char *lua_value(const char *module)
{
	const char *own = getenv("LUA_INIT_5_4");
	size_t bytes = sizeof(lua_begin) + sizeof(lua_end) + 4 * strlen(module) + 64;
	char *value, *end;

	if (!own)
		own = getenv("LUA_INIT");
	value = malloc(bytes + (own ? 4 * strlen(own) : 0));
	if (!value)
		return NULL;
	end = lua_quote(stpcpy(value, lua_begin), module);
	end = stpcpy(end, lua_end);
	if (own && *own == '@')
		stpcpy(lua_quote(stpcpy(end, " dofile(\""), own + 1), "\")");
	else if (own)
		stpcpy(stpcpy(end, " "), own);
	return value;
}

/* ---- all of them ---- */

static const struct {
	const char *runtime, *file, *variable;
	const char *mark;                   /* what the variable begins with if it is set */
	char *(*value)(const char *module); /* NULL: no memory */
} runtimes[] = {
	{"lua5.4", "lua5.4/vmtap.so", "LUA_INIT_5_4", lua_begin, lua_value},
};

enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };
_Static_assert((int)RUNTIMES <= (int)RUNTIME_MODULES_MAX, "each runtime has room for its setting");

/* Returns FOLDER/NAME, to be freed, if that exists. */
static char *existing(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return NULL;
	if (access(path, R_OK)) {
		free(path);
		return NULL;
	}
	return path;
}

char *runtime_modules_folder(void)
{
	const char *named = getenv("VMTAP_MODULES");
	char path[PATH_MAX], *end, *beside, *folder;
	ssize_t length;

	if (named && *named)
		return realpath(named, NULL);
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	end = strrchr(path, '/');
	if (!end)
		return NULL;
	*end = '\0';
	beside = existing(path, "modules");
	if (!beside)
		beside = existing(path, "../lib/vmtap");
	if (!beside)
		return NULL;
	folder = realpath(beside, NULL);
	free(beside);
	return folder;
}

int runtime_modules_collect(const char *folder, struct runtime_settings *settings)
{
	int found = 0;

	settings->count = 0;
	for (size_t i = 0; i < RUNTIMES; i++) {
		struct runtime_setting *setting = &settings->items[settings->count];
		const char *now = getenv(runtimes[i].variable);
		char *module = existing(folder, runtimes[i].file);
		if (!module)
			continue;
		found++;
		if (!now || strncmp(now, runtimes[i].mark, strlen(runtimes[i].mark)) != 0) {
			*setting = (struct runtime_setting){.runtime = runtimes[i].runtime,
				.variable = runtimes[i].variable,
				.value = runtimes[i].value(module)};
			if (setting->value)
				settings->count++;
			else
				found = -ENOMEM;
		}
		free(module);
		if (found < 0)
			break;
	}
	return found;
}

void runtime_modules_free(struct runtime_settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		free(settings->items[i].value);
	settings->count = 0;
}
