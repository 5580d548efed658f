/* As on a command line: everything on one line, no ; at the end. */
vm$target:::gc-work{ @[stringof(execname)] = count() }
