/* Where Python's calls are made: the line that runs in the method that calls. */
string at_file[pid_t, id_t, int64_t];
int at_line[pid_t, id_t, int64_t];
int64_t level[pid_t, uint64_t];

python$target:::line
{
	at_file[pid, tid, level[pid, tid]] = copyinstr(arg0);
	at_line[pid, tid, level[pid, tid]] = (int)arg2;
}

python$target:::function-entry
/this->counts && at_line[pid, tid, level[pid, tid]]/
{
	this->file = at_file[pid, tid, level[pid, tid]];
	this->line = at_line[pid, tid, level[pid, tid]];
}
