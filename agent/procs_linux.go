package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// NewProcs reads /proc.
func NewProcs() Procs { return procfs{root: "/proc", uid: os.Getuid()} }

type procfs struct {
	root string
	uid  int
}

func (p procfs) path(pid int, name string) string {
	return filepath.Join(p.root, strconv.Itoa(pid), name)
}

func (p procfs) Boot() string {
	b, err := os.ReadFile(filepath.Join(p.root, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Machine is what systemd, D-Bus or an installer has written down.
func (procfs) Machine() string {
	b, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func (p procfs) PIDNamespace() string {
	s, err := os.Readlink(filepath.Join(p.root, "self/ns/pid"))
	if err != nil {
		return ""
	}
	return s
}

// InnerPID is the last of the pids that /proc/PID/status gives, one for each namespace from ours down.
func (p procfs) InnerPID(pid int) int {
	b, err := os.ReadFile(p.path(pid, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "NSpid:" {
			inner, _ := strconv.Atoi(f[len(f)-1]) // the kernel's own number
			return inner
		}
	}
	return 0
}

func (p procfs) Get(pid int) (Proc, bool) {
	b, err := os.ReadFile(p.path(pid, "stat"))
	if err != nil {
		return Proc{}, false
	}
	pr, ok := parseStat(b)
	var now unix.Timespec
	if ok && unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) == nil {
		pr.Started = time.Now().Add(time.Duration(pr.Start)*(time.Second/userHz) - time.Duration(now.Nano()))
	}
	return pr, ok
}

// userHz is the clock tick of /proc, on all systems that Go runs on.
const userHz = 100

// exiting is the kernel's PF_EXITING: the process runs no code of its own any more, and its folder,
// arguments and files look as if they were hidden.
const exiting = 0x4

// forked is its PF_FORKNOEXEC: the process is a child that has not called exec.
const forked = 0x40

// ptsMajor is the first of the eight device numbers of pseudo terminals.
const ptsMajor = 136

// parseStat reads /proc/PID/stat. The command name may itself hold blanks and brackets, so the
// fields are counted from its last closing bracket.
func parseStat(b []byte) (Proc, bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return Proc{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:open])))
	f := strings.Fields(string(b[end+1:]))
	if err != nil || len(f) < 20 {
		return Proc{}, false
	}
	flags, _ := strconv.ParseUint(f[6], 10, 64)
	pr := Proc{PID: pid, Comm: string(b[open+1 : end]), Zombie: f[0] == "Z" || f[0] == "X" || flags&exiting != 0}
	pr.Starting = flags&forked != 0
	user, _ := strconv.ParseUint(f[11], 10, 64)
	system, _ := strconv.ParseUint(f[12], 10, 64)
	pr.CPU = user + system
	if tty, err := strconv.Atoi(f[4]); err == nil && tty>>8&0xfff >= ptsMajor && tty>>8&0xfff < ptsMajor+8 {
		pr.TTY = "/dev/pts/" + strconv.Itoa((tty>>8&0xfff-ptsMajor)<<8|tty&0xff|tty>>12&0xfff00)
	}
	pr.Foreground, _ = strconv.Atoi(f[5])
	var errs [4]error
	pr.PPID, errs[0] = strconv.Atoi(f[1])
	pr.Group, errs[1] = strconv.Atoi(f[2])
	pr.Leader, errs[2] = strconv.Atoi(f[3])
	pr.Start, errs[3] = strconv.ParseUint(f[19], 10, 64)
	for _, e := range errs {
		if e != nil {
			return Proc{}, false
		}
	}
	return pr, true
}

func (p procfs) List() ([]Proc, error) {
	d, err := os.Open(p.root)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []Proc
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		var st syscall.Stat_t
		if syscall.Stat(filepath.Join(p.root, name), &st) != nil || int(st.Uid) != p.uid {
			continue
		}
		if pr, ok := p.Get(pid); ok {
			all = append(all, pr)
		}
	}
	return all, nil
}

func (p procfs) split(pid int, name string) []string {
	b, err := os.ReadFile(p.path(pid, name))
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

func (p procfs) Argv(pid int) []string    { return p.split(pid, "cmdline") }
func (p procfs) Environ(pid int) []string { return p.split(pid, "environ") }

// Cwd gives a folder that was removed by the name that it had: one that is made again in its place, such as a work tree of git, is
// where the process's session goes on.
func (p procfs) Cwd(pid int) string {
	path := p.path(pid, "cwd")
	s, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	if name, marked := strings.CutSuffix(s, removed); marked {
		is, err1 := os.Stat(path)
		named, err2 := os.Stat(s) // the folder may really be called so
		if err1 != nil || err2 != nil || !os.SameFile(is, named) {
			return name
		}
	}
	return s
}

// removed is what the kernel writes behind the name of a file that is no more.
const removed = " (deleted)"

func (p procfs) Opens(pid int) []string {
	dir := p.path(pid, "fd")
	fds, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var paths []string
	for _, fd := range fds {
		if s, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && strings.HasPrefix(s, "/") {
			paths = append(paths, strings.TrimSuffix(s, removed))
		}
	}
	return paths
}

// Listens finds the sockets of the process among the kernel's listening ones. In another network namespace they are of another
// loopback: on ours the same port is some other program's, or nobody's.
func (p procfs) Listens(pid int) []int {
	ours, err1 := os.Readlink(filepath.Join(p.root, "self/ns/net"))
	its, err2 := os.Readlink(p.path(pid, "ns/net"))
	if err1 != nil || err2 != nil || ours != its {
		return nil
	}
	dir := p.path(pid, "fd")
	fds, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	inodes := map[string]bool{}
	for _, fd := range fds {
		if s, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && strings.HasPrefix(s, "socket:[") {
			inodes[strings.Trim(s[len("socket:"):], "[]")] = true
		}
	}
	var ports []int
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		b, err := os.ReadFile(p.path(pid, table))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line) // sl local rem st queues timer retransmits uid timeout inode
			if len(f) < 10 || f[3] != listening || !inodes[f[9]] {
				continue
			}
			host, port, _ := strings.Cut(f[1], ":")
			n, err := strconv.ParseUint(port, 16, 16)
			if err == nil && reachable[host] && !slices.Contains(ports, int(n)) {
				ports = append(ports, int(n))
			}
		}
	}
	return ports
}

// listening is the state of a socket that waits for connections.
const listening = "0A"

// reachable from loopback, as the kernel writes addresses: words of the host's byte order.
var reachable = map[string]bool{
	"0100007F": true, "00000000": true, "00000000000000000000000000000000": true,
	"00000000000000000000000001000000": true, "0000000000000000FFFF00000100007F": true,
}
