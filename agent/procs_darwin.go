package agent

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lsof = "/usr/sbin/lsof"
	// patience bounds one call, which may block on a file system that does not answer.
	patience = 5 * time.Second
	// lsofFresh is how long an answer serves: one look at a process asks several times.
	lsofFresh = time.Second
	lsofKeep  = 256

	idle    = 1      // SIDL: being made by fork
	zombie  = 5      // SZOMB
	exiting = 0x2000 // P_WEXIT
)

// NewProcs asks the kernel by sysctl, and lsof and ps. Written after the documentation: no Mac has run it.
func NewProcs() Procs { return &macProcs{uid: os.Getuid(), seen: map[int]lsofAnswer{}} }

type macProcs struct {
	macSpace

	uid  int
	mu   sync.Mutex
	seen map[int]lsofAnswer // by pid
}

type lsofAnswer struct {
	at time.Time
	openFiles
}

// Boot: the boot time itself moves when the clock is set.
func (p *macProcs) Boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

func (p *macProcs) Get(pid int) (Proc, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return Proc{}, false
	}
	return procOf(k), true
}

func (p *macProcs) List() ([]Proc, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.uid", p.uid)
	if err != nil {
		return nil, fmt.Errorf("sysctl kern.proc.uid: %w", err)
	}
	used := parsePS(output("/bin/ps", "-x", "-U", strconv.Itoa(p.uid), "-o", "pid=,time="))
	all := make([]Proc, 0, len(table))
	for n := range table {
		pr := procOf(&table[n])
		pr.CPU = used.of(pr)
		all = append(all, pr)
	}
	return all, nil
}

func procOf(k *unix.KinfoProc) Proc {
	start := time.Unix(k.Proc.P_starttime.Unix())
	pr := Proc{
		PID: int(k.Proc.P_pid), PPID: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid), Start: uint64(start.UnixMicro()),
		Comm: unix.ByteSliceToString(k.Proc.P_comm[:]),
		TTY:  ttyOf(k.Eproc.Tdev), Foreground: int(k.Eproc.Tpgid), Started: start, Zombie: k.Proc.P_stat == zombie || k.Proc.P_flag&exiting != 0, Starting: k.Proc.P_stat == idle,
	}
	if leader, err := unix.Getsid(pr.PID); err == nil {
		pr.Leader = leader
	}
	return pr
}

// ttyOf names a pseudo terminal by its device number; it must have that number.
func ttyOf(dev int32) string {
	if dev == -1 {
		return ""
	}
	path := fmt.Sprintf("/dev/ttys%03d", unix.Minor(uint64(uint32(dev))))
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || st.Rdev != dev {
		return ""
	}
	return path
}

func (p *macProcs) Argv(pid int) []string {
	argv, _ := procArgs(pid)
	return argv
}

func (p *macProcs) Environ(pid int) []string {
	_, environ := procArgs(pid)
	return environ
}

func procArgs(pid int) (argv, environ []string) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil
	}
	return parseProcArgs(b)
}

func (p *macProcs) Cwd(pid int) string     { return p.lsof(pid).cwd }
func (p *macProcs) Listens(pid int) []int  { return p.lsof(pid).ports }
func (p *macProcs) Opens(pid int) []string { return p.lsof(pid).files }

// output is what one of the system's programs prints. lsof ends with an error when it could not tell everything; what it printed
// counts all the same. One that does not answer in time has told nothing.
func output(program string, args ...string) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=en_US.UTF-8"}
	cmd.WaitDelay = time.Second
	out, _ := cmd.Output()
	if ctx.Err() != nil {
		return nil
	}
	return out
}

// lsof asks for one process.
func (p *macProcs) lsof(pid int) openFiles {
	p.mu.Lock()
	a, ok := p.seen[pid]
	p.mu.Unlock()
	if ok && time.Since(a.at) < lsofFresh {
		return a.openFiles
	}
	a = lsofAnswer{at: time.Now(), openFiles: parseLsof(output(lsof, "-nP", "-p", strconv.Itoa(pid), "-FftnT"))}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) >= lsofKeep {
		clear(p.seen)
	}
	p.seen[pid] = a
	return a.openFiles
}
