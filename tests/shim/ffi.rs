// A VM in Rust: ffi SOCKET COUNT
//
// Linked with libvmtap.a, it tests the probes' words itself and calls their fire functions. Built
// with --cfg shared, it asks libvmtap_ffi.so for both. Fires like ffi.py; text is not
// NUL-terminated. With the argument "closed" instead of SOCKET it serves no stream.
use std::ffi::c_void;
use std::os::raw::{c_char, c_int};

#[repr(C)]
struct Options {
    size: usize,
    runtime: *const c_char,
    socket: *const c_char,
}

extern "C" {
    fn vmtap_start(options: *const Options) -> c_int;
    fn vmtap_stop() -> c_int;
    fn vmtap_name_new(text: *const u8, length: usize) -> *mut c_void;
    fn vmtap_name_free(name: *mut c_void);
}

#[cfg(not(shared))]
mod probes {
    use super::*;
    extern "C" {
        static vm_gc__start_semaphore: u32;
        static vm_method__entry_semaphore: u32;
        fn vmtap_fire_gc_start(
            cap: u16, generation: u32, full: u16, bytes_used: u64, cause: *mut c_void, id: u64);
        fn vmtap_fire_method_entry(
            class: *mut c_void, method: *mut c_void, file: *mut c_void, line: c_int, thread: u32);
    }
    pub struct Probes;
    impl Probes {
        pub fn new() -> Self {
            Probes
        }
        #[inline(always)]
        pub fn gc_start(
            &self, cap: u16, generation: u32, full: u16, bytes_used: u64, cause: *mut c_void, id: u64) {
            unsafe {
                if std::ptr::read_volatile(&vm_gc__start_semaphore) != 0 {
                    vmtap_fire_gc_start(cap, generation, full, bytes_used, cause, id);
                }
            }
        }
        #[inline(always)]
        pub fn method_entry(&self, names: &[*mut c_void; 3], line: c_int, thread: u32) {
            unsafe {
                if std::ptr::read_volatile(&vm_method__entry_semaphore) != 0 {
                    vmtap_fire_method_entry(names[0], names[1], names[2], line, thread);
                }
            }
        }
    }
}

#[cfg(shared)]
mod probes {
    use super::*;
    extern "C" {
        fn vmtap_probe_number(name: *const u8, length: usize) -> c_int;
        fn vmtap_guard(probe: c_int) -> *const u32;
        fn vmtap_fire(probe: c_int) -> *const c_void;
    }
    type GcStart = unsafe extern "C" fn(u16, u32, u16, u64, *mut c_void, u64);
    type MethodEntry = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, c_int, u32);
    pub struct Probes {
        gc_start: (*const u32, GcStart),
        method_entry: (*const u32, MethodEntry),
    }
    unsafe fn probe(name: &str) -> (*const u32, *const c_void) {
        let number = vmtap_probe_number(name.as_ptr(), name.len());
        assert!(number >= 0);
        (vmtap_guard(number), vmtap_fire(number))
    }
    impl Probes {
        pub fn new() -> Self {
            unsafe {
                let (gc, method) = (probe("gc-start"), probe("method-entry"));
                Probes {
                    gc_start: (gc.0, std::mem::transmute(gc.1)),
                    method_entry: (method.0, std::mem::transmute(method.1)),
                }
            }
        }
        #[inline(always)]
        pub fn gc_start(
            &self, cap: u16, generation: u32, full: u16, bytes_used: u64, cause: *mut c_void, id: u64) {
            unsafe {
                if self.gc_start.0.read_volatile() != 0 {
                    (self.gc_start.1)(cap, generation, full, bytes_used, cause, id);
                }
            }
        }
        #[inline(always)]
        pub fn method_entry(&self, names: &[*mut c_void; 3], line: c_int, thread: u32) {
            unsafe {
                if self.method_entry.0.read_volatile() != 0 {
                    (self.method_entry.1)(names[0], names[1], names[2], line, thread);
                }
            }
        }
    }
}

fn name(text: &str) -> *mut c_void {
    unsafe { vmtap_name_new(text.as_ptr(), text.len()) }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let socket = format!("{}\0", arguments[1]);
    let count: u64 = arguments[2].parse().unwrap();
    let runtime = "rust\0";
    let options = Options {
        size: std::mem::size_of::<Options>(),
        runtime: runtime.as_ptr() as *const c_char,
        socket: socket.as_ptr() as *const c_char,
    };
    let text = String::from("PointAndMore");
    let names = [name(&text[..5]), name("move"), name("zwölf.py")];
    let cause = name("request");
    let probes = probes::Probes::new();
    let serves = arguments[1] != "closed";
    unsafe {
        if serves && vmtap_start(&options) != 0 {
            std::process::exit(1);
        }
        for i in 0..count {
            probes.method_entry(&names, i as c_int, 7);
            probes.gc_start(3, 1, 0, (1 << 40) + i, cause, i + 1);
        }
        if serves && vmtap_stop() != 0 {
            std::process::exit(1);
        }
        for name in names {
            vmtap_name_free(name);
        }
        vmtap_name_free(cause);
    }
}
