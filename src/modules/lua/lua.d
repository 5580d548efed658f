/*
 * Provider lua: what Lua has and provider vm has not. `vmtap generate` makes lua_probes.h and
 * lua_probes.c of this file; the module beside it fires the probes.
 *
 * In all probes, cap, thread, file and line are as in provider vm. A coroutine is a thread.
 */

/* What lua_resume() and lua_pcall() return. */
enum lua_status {
	LUA_STATUS_OK,
	LUA_STATUS_YIELD,
	LUA_STATUS_ERROR,
	LUA_STATUS_SYNTAX,
	LUA_STATUS_MEMORY,
	LUA_STATUS_HANDLER
};

/* args[3] of coroutine-end. */
typedef struct lua_outcome {
	int status;
	string text;
} lua_outcome_t;

translator lua_outcome_t < uint32_t STATUS > {
	status = STATUS;
	text = STATUS == LUA_STATUS_OK ? "finished" : STATUS == LUA_STATUS_YIELD ? "yielded" :
		STATUS == LUA_STATUS_MEMORY ? "no memory" :
		STATUS == LUA_STATUS_HANDLER ? "error in error handling" : "error";
};

provider lua {
	/*
	 * A Lua state has loaded the module.
	 * @cap its capability
	 * @instance its number in this process, from 0
	 * @state [address] its main thread
	 */
	probe state__open(uint16_t cap, uint32_t instance, void *state);
	/*
	 * A Lua state is closed.
	 * @cap as in state-open
	 * @instance as in state-open
	 * @state [address] as in state-open
	 */
	probe state__close(uint16_t cap, uint32_t instance, void *state);

	/*
	 * A function has called another as its last act, and the other has taken its frame. Comes
	 * between the method-return of the one and the method-entry of the other.
	 * @class [name] of the function that is called
	 * @method [name] of the function that is called
	 * @file [name] the file of the function that calls
	 * @line the line where that function is defined, or 0
	 * @thread the thread
	 */
	probe tail__call(char *class, char *method, char *file, int line, uint32_t thread);

	/*
	 * A coroutine is resumed.
	 * @cap the state's capability
	 * @thread the thread that resumes it
	 * @coroutine its number
	 * @values how many values are passed to it
	 */
	probe coroutine__resume(uint16_t cap, uint32_t thread, uint32_t coroutine, int values);
	/*
	 * A coroutine yields.
	 * @cap the state's capability
	 * @thread the thread that has resumed it
	 * @coroutine its number
	 * @values how many values it passes
	 */
	probe coroutine__yield(uint16_t cap, uint32_t thread, uint32_t coroutine, int values);
	/*
	 * A coroutine has returned from its function, or an error has ended it.
	 * @cap the state's capability
	 * @thread the thread that has resumed it
	 * @coroutine its number
	 * @status how: enum lua_status
	 */
	probe coroutine__end(uint16_t cap, uint32_t thread, uint32_t coroutine, uint32_t status) :
		(uint16_t cap, uint32_t thread, uint32_t coroutine, lua_outcome_t *status);
	/*
	 * A suspended coroutine has been closed (coroutine.close).
	 * @cap the state's capability
	 * @thread the thread that closes it
	 * @coroutine its number
	 */
	probe coroutine__close(uint16_t cap, uint32_t thread, uint32_t coroutine);

	/*
	 * pcall or xpcall begins.
	 * @file [name] the file of the call
	 * @line the line of the call
	 * @thread the thread
	 */
	probe protected__entry(char *file, int line, uint32_t thread);
	/*
	 * pcall or xpcall has returned, or an error has passed it.
	 * @file [name] as in protected-entry
	 * @line as in protected-entry
	 * @thread the thread
	 * @failed 1 when an error has ended the call, else 0
	 */
	probe protected__return(char *file, int line, uint32_t thread, uint16_t failed);

	/*
	 * setmetatable gives a table its class.
	 * @class [name] the metatable's field __name, or "table"
	 * @file [name] the file of the call
	 * @line the line of the call
	 * @thread the thread
	 * @address the table
	 */
	probe metatable__set(char *class, char *file, int line, uint32_t thread, uint64_t address);

	/*
	 * The program has set or removed a hook of its own (debug.sethook).
	 * @thread the thread that it is set for, or 0 if that is not known
	 * @mask the events it is for, in the numbering of lua.h; 0 if it is removed
	 * @count the instructions between two count events
	 */
	probe hook__set(uint32_t thread, int mask, int count);

	/*
	 * The program calls collectgarbage.
	 * @cap the state's capability
	 * @option [name] its first argument, "collect" if there is none
	 * @bytes the bytes in use before
	 */
	probe gc__control(uint16_t cap, char *option, uint64_t bytes);
	/*
	 * A collection of Lua's own accord, or one that was asked for, has ended. It is noticed by
	 * the finalizer of an object that nobody uses, which Lua calls after the collection.
	 * @cap the state's capability
	 * @collections how many have been noticed
	 * @bytes the bytes in use now
	 */
	probe collection__end(uint16_t cap, uint64_t collections, uint64_t bytes);

	/*
	 * Lua takes a block of memory that is no object: the elements of a table, a stack, a buffer.
	 * @address where it is
	 * @bytes its size
	 */
	probe memory__allocate(uint64_t address, uint64_t bytes);
	/*
	 * Lua changes the size of a block.
	 * @address where it was
	 * @new_address where it is now
	 * @old_bytes its size before
	 * @new_bytes its size now
	 */
	probe memory__resize(uint64_t address, uint64_t new_address, uint64_t old_bytes, uint64_t new_bytes);
	/*
	 * Lua frees a block, or an object of which object-free does not know the class.
	 * @address where it was
	 * @bytes its size
	 */
	probe memory__free(uint64_t address, uint64_t bytes);

	/*
	 * The program calls warn.
	 * @cap the state's capability
	 * @text [text] its first argument
	 */
	probe warning(uint16_t cap, char *text);
};

#pragma D attributes Evolving/Evolving/Common provider lua provider
#pragma D attributes Evolving/Evolving/Common provider lua module
#pragma D attributes Evolving/Evolving/Common provider lua function
#pragma D attributes Evolving/Evolving/Common provider lua name
#pragma D attributes Evolving/Evolving/Common provider lua args
