/*
 * Provider ruby: the probes of Ruby's own interpreter, for VMs that opt in, so that a
 * script written for Ruby runs on any of them. The arguments have Ruby's names, order,
 * types and stability. The "@event" lines are explained in haskell_event.d.
 */
provider ruby {
	/*
	 * A method written in Ruby is about to be entered.
	 * @classname [name] the class of the method
	 * @methodname [name] the method
	 * @filename [name] the file of the call
	 * @lineno the line of the call
	 * @event method-entry (class, method, file, line)
	 */
	probe method__entry(char *classname, char *methodname, char *filename, int lineno);
	/*
	 * A method written in Ruby has returned.
	 * @classname [name] as in method-entry
	 * @methodname [name] as in method-entry
	 * @filename [name] as in method-entry
	 * @lineno as in method-entry
	 * @event method-return (class, method, file, line)
	 */
	probe method__return(char *classname, char *methodname, char *filename, int lineno);
	/*
	 * A method written in C is about to be entered.
	 * @classname [name] the class of the method
	 * @methodname [name] the method
	 * @filename [name] the file of the call
	 * @lineno the line of the call
	 * @event native-entry (class, method, file, line)
	 */
	probe cmethod__entry(char *classname, char *methodname, char *filename, int lineno);
	/*
	 * A method written in C is about to return.
	 * @classname [name] as in cmethod-entry
	 * @methodname [name] as in cmethod-entry
	 * @filename [name] as in cmethod-entry
	 * @lineno as in cmethod-entry
	 * @event native-return (class, method, file, line)
	 */
	probe cmethod__return(char *classname, char *methodname, char *filename, int lineno);
	/*
	 * A file is required.
	 * @requiredfile [text] the name it is required by
	 * @filename [name] the file that asks
	 * @lineno its line
	 * @event require-entry (wanted, file, line)
	 */
	probe require__entry(char *requiredfile, char *filename, int lineno);
	/*
	 * The request is about to return. Does not fire when an exception ends it.
	 * @requiredfile [text] as in require-entry
	 * @filename [name] as in require-entry
	 * @lineno as in require-entry
	 * @event require-return (wanted, file, line) when not raised
	 */
	probe require__return(char *requiredfile, char *filename, int lineno);
	/*
	 * The search for a required file begins.
	 * @requiredfile [text] the name it is required by
	 * @filename [name] the file that asks
	 * @lineno its line
	 * @event find-require-entry (wanted, file, line)
	 */
	probe find__require__entry(char *requiredfile, char *filename, int lineno);
	/*
	 * The search has ended.
	 * @requiredfile [text] as in find-require-entry
	 * @filename [name] as in find-require-entry
	 * @lineno as in find-require-entry
	 * @event find-require-return (wanted, file, line)
	 */
	probe find__require__return(char *requiredfile, char *filename, int lineno);
	/*
	 * A file is loaded.
	 * @loadedfile [text] the name it is loaded by
	 * @filename [name] the file that asks
	 * @lineno its line
	 * @event load-entry (wanted, file, line)
	 */
	probe load__entry(char *loadedfile, char *filename, int lineno);
	/*
	 * The file has been loaded. Does not fire when an exception ends the loading.
	 * @loadedfile [text] as in load-entry
	 * @filename [name] as in load-entry
	 * @lineno as in load-entry
	 * @event load-return (wanted, file, line) when not raised
	 */
	probe load__return(char *loadedfile, char *filename, int lineno);
	/*
	 * An exception is raised.
	 * @classname [name] its class
	 * @filename [name] the file that raises it
	 * @lineno its line
	 * @event raise (class, file, line)
	 */
	probe raise(char *classname, char *filename, int lineno);
	/*
	 * An object is about to be allocated.
	 * @classname [name] its class
	 * @filename [name] the file that allocates it
	 * @lineno its line
	 * @event object-create (class, file, line)
	 */
	probe object__create(char *classname, char *filename, int lineno);
	/*
	 * An array is about to be allocated.
	 * @length its length in elements
	 * @filename [name] the file that allocates it
	 * @lineno its line
	 * @event array-create (length, file, line)
	 */
	probe array__create(long length, char *filename, int lineno);
	/*
	 * A hash is about to be allocated.
	 * @length its length in pairs
	 * @filename [name] the file that allocates it
	 * @lineno its line
	 * @event hash-create (length, file, line)
	 */
	probe hash__create(long length, char *filename, int lineno);
	/*
	 * A string is about to be allocated.
	 * @length its length in bytes
	 * @filename [name] the file that allocates it
	 * @lineno its line
	 * @event string-create (length, file, line)
	 */
	probe string__create(long length, char *filename, int lineno);
	/*
	 * A symbol is created.
	 * @str [text] its text
	 * @filename [name] the file that creates it
	 * @lineno its line
	 * @event symbol-create (text, file, line)
	 */
	probe symbol__create(char *str, char *filename, int lineno);
	/*
	 * A source file is about to be parsed and compiled.
	 * @sourcefile [name] the file
	 * @lineno the line at which it begins
	 * @event parse-begin (file, line)
	 */
	probe parse__begin(char *sourcefile, int lineno);
	/*
	 * The file has been parsed and compiled.
	 * @sourcefile [name] the file
	 * @lineno the line at which it ended
	 * @event parse-end (file, line)
	 */
	probe parse__end(char *sourcefile, int lineno);
	/*
	 * Marking begins.
	 * @event gc-mark-begin ()
	 */
	probe gc__mark__begin();
	/*
	 * Marking has ended.
	 * @event gc-mark-end ()
	 */
	probe gc__mark__end();
	/*
	 * Sweeping begins.
	 * @event gc-sweep-begin ()
	 */
	probe gc__sweep__begin();
	/*
	 * Sweeping has ended.
	 * @event gc-sweep-end ()
	 */
	probe gc__sweep__end();
	/*
	 * Cached method look-ups have become invalid.
	 * @class [name] the affected class, or "global"
	 * @sourcefile [name] the file that caused it
	 * @lineno its line
	 * @event method-cache-clear (class, file, line)
	 */
	probe method__cache__clear(char *class, char *sourcefile, int lineno);
};

#pragma D attributes Stable/Evolving/Common provider ruby provider
#pragma D attributes Stable/Evolving/Common provider ruby module
#pragma D attributes Stable/Evolving/Common provider ruby function
#pragma D attributes Evolving/Evolving/Common provider ruby name
#pragma D attributes Evolving/Evolving/Common provider ruby args
