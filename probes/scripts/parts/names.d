#pragma D option anydefs

/*
 * Methods as they are written: this->name. That is Class#method; Class.method for a method of the
 * class itself, whose class is given as Class.class or #<Class:Class>; module.function for a function
 * of the Python file module.py, or of what Python calls <frozen module>; and the name alone where
 * there is no class.
 */
*$target:::[mf]*[dn]-entry,
*$target:::[mf]*[dn]-return,
*$target:::[cn][ma]*[de]-entry,
*$target:::[cn][ma]*[de]-return
/this->counts/
{
	this->begin = substr(this->class, 0, strlen("<frozen "));
	this->framed = (this->begin == "<frozen " || this->begin == "#<Class:") &&
	    strlen(this->class) > strlen("<frozen >");
	this->end = strlen(this->class) - strlen(".class");
	this->end = this->end > 0 && substr(this->class, this->end) == ".class" ? this->end :
	    strlen(this->class) - strlen(".py");
	this->own = this->framed || (this->end > 0 && (substr(this->class, this->end) == ".class" ||
	    substr(this->class, this->end) == ".py"));
	this->name = this->class == "" || this->class == "(none)" ? this->method :
	    strjoin(this->framed ? substr(this->class, strlen("<frozen "),
	    strlen(this->class) - strlen("<frozen >")) :
	    this->own ? substr(this->class, 0, this->end) : this->class,
	    strjoin(this->own ? "." : "#", this->method));
}
