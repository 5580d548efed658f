/*
 * Provider tiny: the events of a small program, as an example of a provider of one's own. `vmtap
 * generate` makes tiny_probes.h and tiny_probes.c of this file; tiny.c fires the probes.
 *
 * Each probe is preceded by a comment: when it fires, then a line for each argument. [name] marks a
 * string that recurs, whose text a stream carries once; [text] one that does not; [address] a number
 * that only identifies something.
 */
enum tiny_kind { TINY_HIT, TINY_MISS, TINY_FLUSH };

/* What scripts see as args[0] of the probe lookup. */
typedef struct tiny_lookup {
	int kind;
	string outcome;
} tiny_lookup_t;

translator tiny_lookup_t < uint32_t KIND > {
	kind = KIND;
	outcome = KIND == TINY_HIT ? "hit" : KIND == TINY_MISS ? "miss" : "flush";
};

provider tiny {
	/*
	 * An inline cache has been asked for a method.
	 * @kind the outcome: enum tiny_kind
	 * @method [name] the method
	 * @line the line of the call
	 */
	probe lookup(uint32_t kind, char *method, int line) :
		(tiny_lookup_t *kind, char *method, int line);
	/*
	 * The stack has been moved to a larger piece of memory.
	 * @from [address] where it was
	 * @bytes its new size
	 */
	probe stack__grow(void *from, uint64_t bytes);
	/*
	 * The program says what it does.
	 * @text [text] a sentence
	 */
	probe note(char *text);
};

#pragma D attributes Evolving/Evolving/Common provider tiny provider
#pragma D attributes Evolving/Evolving/Common provider tiny module
#pragma D attributes Evolving/Evolving/Common provider tiny function
#pragma D attributes Evolving/Evolving/Common provider tiny name
#pragma D attributes Evolving/Evolving/Common provider tiny args
