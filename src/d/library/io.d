/*
 * io.d: open files, devices and buffers, for the io provider and fds[ ].
 */
inline int O_RDONLY = 0;
inline int O_WRONLY = 01;
inline int O_RDWR = 02;
inline int O_ACCMODE = 03;
inline int O_CREAT = 0100;
inline int O_EXCL = 0200;
inline int O_NOCTTY = 0400;
inline int O_TRUNC = 01000;
inline int O_APPEND = 02000;
inline int O_NONBLOCK = 04000;
inline int O_NDELAY = 04000;
inline int O_DSYNC = 010000;
inline int O_ASYNC = 020000;
inline int O_DIRECT = 040000;
inline int O_LARGEFILE = 0100000;
inline int O_DIRECTORY = 0200000;
inline int O_NOFOLLOW = 0400000;
inline int O_NOATIME = 01000000;
inline int O_CLOEXEC = 02000000;
inline int O_SYNC = 04010000;
inline int O_RSYNC = 04010000;
inline int O_PATH = 010000000;

inline int SEEK_SET = 0;
inline int SEEK_CUR = 1;
inline int SEEK_END = 2;

inline int B_BUSY = 0x000001;
inline int B_DONE = 0x000002;
inline int B_ERROR = 0x000004;
inline int B_PAGEIO = 0x000010;
inline int B_PHYS = 0x000020;
inline int B_READ = 0x000040;
inline int B_WRITE = 0x000100;
inline int B_ASYNC = 0x000400;

typedef struct bufinfo {
	int b_flags;
	size_t b_bcount;
	caddr_t b_addr;
	uint64_t b_lblkno;
	uint64_t b_blkno;
	size_t b_resid;
	size_t b_bufsize;
	caddr_t b_iodone;
	int b_error;
	dev_t b_edev;
} bufinfo_t;

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;
	string dev_name;
	string dev_statname;
	string dev_pathname;
} devinfo_t;

typedef struct fileinfo {
	string fi_name;
	string fi_dirname;
	string fi_pathname;
	long fi_offset;
	string fi_fs;
	string fi_mount;
	int fi_oflags;
} fileinfo_t;

/*
 * Where no file is open, names are "<none>". What has no path, such as a pipe, is called "<unknown>"
 * there.
 */
translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : F->f_path.dentry->d_name.len ?
		stringof(F->f_path.dentry->d_name.name) : "<unknown>";
	fi_dirname = F == NULL ? "<none>" : d_path(&F->f_path) == "<unknown>" ? "<unknown>" :
		dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? -1 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_inode->i_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : d_path(&F->f_path, 1);
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

/*
 * What fds[ ] is made of. struct vmtap_file has no members: a pointer to it is a descriptor's number,
 * and its name chooses this translator. vmtap`files is the thread's task_struct, for its open files.
 */
translator fileinfo_t < struct vmtap_file *FD > {
	fi_name = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_name : "<none>";
	fi_dirname = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_dirname : "<none>";
	fi_pathname = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_pathname : "<none>";
	fi_offset = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_offset : -1;
	fi_fs = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_fs : "<none>";
	fi_mount = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_mount : "<none>";
	fi_oflags = (uint_t)(uintptr_t)FD < ((struct task_struct *)vmtap`files)->files->fdt->max_fds ?
		xlate <fileinfo_t *> (((struct task_struct *)vmtap`files)->files->fdt->fd[(int)(uintptr_t)FD])->fi_oflags : 0;
};

inline fileinfo_t fds[int FD] = xlate <fileinfo_t> ((struct vmtap_file *)FD);

/* A request to a block device. What is not known of it is 0. */
translator bufinfo_t < struct request *R > {
	b_flags = (R->cmd_flags & 1 ? B_WRITE : B_READ) | (R->cmd_flags & 0x800 ? 0 : B_ASYNC);
	b_bcount = R->__data_len;
	b_addr = 0;
	b_lblkno = R->__sector;
	b_blkno = R->__sector;
	b_resid = 0;
	b_bufsize = R->__data_len;
	b_iodone = R->bio == NULL ? NULL : (caddr_t)R->bio->bi_end_io;
	b_error = 0;
	b_edev = R->q->disk->part0->bd_dev;
};

translator devinfo_t < struct request *R > {
	dev_major = R->q->disk->major;
	dev_minor = R->q->disk->first_minor;
	dev_instance = 0;
	dev_name = R->q->disk->part0->bd_device.parent == NULL ||
		R->q->disk->part0->bd_device.parent->driver == NULL ? "<unknown>" :
		stringof(R->q->disk->part0->bd_device.parent->driver->name);
	dev_statname = stringof(R->q->disk->disk_name);
	dev_pathname = strjoin("/dev/", stringof(R->q->disk->disk_name));
};

/* The kernel does not know at a request of which file it is. */
translator fileinfo_t < struct request *R > {
	fi_name = "<unknown>";
	fi_dirname = "<unknown>";
	fi_pathname = "<unknown>";
	fi_offset = -1;
	fi_fs = "<none>";
	fi_mount = "<unknown>";
	fi_oflags = 0;
};

/* The probes' arguments; the kernel has them. */
provider io {
	probe start(struct request *b, struct request *d, struct request *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe done(struct request *b, struct request *d, struct request *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe wait__start(struct request *b, struct request *d, struct request *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe wait__done(struct request *b, struct request *d, struct request *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
};
