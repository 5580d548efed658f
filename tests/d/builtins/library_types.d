/*
 * Types of the built-in library: scripts that use them compile.
 * @options -e
 */
self psinfo_t *process;
self lwpsinfo_t *thread;
bufinfo_t *buffer;
devinfo_t *device;
fileinfo_t *file;
cpuinfo_t *processor;
ipinfo_t *packet;
tcpinfo_t *segment;
conninfo_t *connection;

BEGIN
{
	trace(sizeof (bufinfo_t) + sizeof (tcpinfo_t) + sizeof (timestruc_t));
	trace(xlate <psinfo_t *> (curthread)->pr_addr);
	trace(xlate <lwpsinfo_t *> (curthread)->pr_pri);
	trace(curpsinfo->pr_nlwp + curlwpsinfo->pr_flag + curcpu->cpu_lgrp);
	trace(curlwpsinfo->pr_state == SSLEEP);
	trace(curpsinfo->pr_psargs);
	trace(fds[1].fi_fs);
}
