/* As it stands on a command line: all on one line, no ; at the end. */
vm$target:::gc-work{ @[stringof(execname)] = count() }
