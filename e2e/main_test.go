//go:build linux

package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	envInside = "CLAWD_E2E_INSIDE" // set in the namespace; its value is the built clawd
	envInit   = "CLAWD_E2E_INIT"   // set for the first process of a pid namespace
	envBase   = "CLAWD_E2E_BASE"   // set in the namespace: the folder of the worlds
	envClawd  = "CLAWD_E2E_CLAWD"
	envAll    = "CLAWD_E2E"
	envWithin = "CLAWD_E2E_WITHIN"
	envMust   = "CLAWD_E2E_REQUIRE"
	envCache  = "CLAWD_AGENT_CACHE"
	envKeep   = "CLAWD_E2E_KEEP"

	// maxWorlds bounds the tests that run at once: an agent needs a core for seconds when it
	// starts, and waits most of the rest.
	maxWorlds = "3"
)

// missing says what this machine lacks to run the tests; empty: nothing.
var missing string

// TestMain starts the test binary again inside its own user and network namespace. Outside it
// only builds clawd, since that may need the module cache's network.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(envInside) == "" {
		if code, ok := inside(); ok {
			os.Exit(code)
		}
	} else if os.Getenv(envInit) == "1" {
		os.Exit(initInside())
	} else if err := loopbackUp(); err != nil {
		missing = "the loopback interface of a new network namespace cannot be brought up: " + err.Error()
	}
	if !explicit("test.parallel") {
		if err := flag.Set("test.parallel", maxWorlds); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if names := unseen(); code == 0 && len(names) > 0 {
		fmt.Fprintln(os.Stderr, "no case has run with", strings.Join(names, ", "))
		code = 1
	}
	os.Exit(code)
}

func explicit(name string) (set bool) {
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// inside runs this binary in new namespaces. ok is false when the machine does not allow that;
// missing then says why.
func inside() (code int, ok bool) {
	clawd, cleanup := builtClawd()
	defer cleanup()
	// Pdeathsig is bound to the thread that starts the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// In a pid namespace of their own the agents of another run on this machine, which clawd cannot
	// look into, are not taken for holders. Not every container allows the /proc that it needs.
	const own = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
	user := func(more uintptr) *syscall.SysProcAttr {
		return &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | more,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			Pdeathsig:   syscall.SIGKILL,
		}
	}
	err := again(user(own), clawd, envInit+"=1")
	if cannot(err) {
		err = again(user(0), clawd)
	}
	if cannot(err) && os.Getuid() == 0 {
		// Root in a container without user namespaces may still make a network namespace.
		err = again(&syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}, clawd)
	}
	if notStarted(err) {
		missing = "user namespaces are not possible here (" + err.Error() + "); the agents run only where no network can be reached"
		return 0, false
	}
	if err == nil {
		return 0, true
	}
	ended, _ := errors.AsType[*exec.ExitError](err)
	return max(1, ended.ExitCode()), true
}

// exitNoProc is how the first process of a pid namespace says that it got no /proc.
const exitNoProc = 77

func cannot(err error) bool {
	ended, ok := errors.AsType[*exec.ExitError](err)
	return notStarted(err) || ok && ended.ExitCode() == exitNoProc
}

// initInside is the first process of a pid namespace: it gives it its /proc, runs the tests and
// takes in what they orphan. All that is left ends with it.
func initInside() int {
	err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""))
	if err != nil {
		return exitNoProc
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), envInit+"=0")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1
	}
	passQuit(cmd.Process)
	for {
		var status unix.WaitStatus
		switch pid, err := unix.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1
		case pid == cmd.Process.Pid && status.Signaled():
			return 128 + int(status.Signal())
		case pid == cmd.Process.Pid:
			return status.ExitStatus()
		}
	}
}

func again(attr *syscall.SysProcAttr, clawd string, env ...string) error {
	// The worlds lie below one folder, so that a run that was cut short leaves nothing either.
	base, err := os.MkdirTemp("", "clawd-e2e-")
	if err != nil {
		return err
	}
	if os.Getenv(envKeep) != "1" {
		defer func() { _ = os.RemoveAll(base) }()
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), envInside+"="+clawd, envBase+"="+base)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdin, os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		return err
	}
	passQuit(cmd.Process)
	namespace, err := os.Readlink(netOf(strconv.Itoa(cmd.Process.Pid)))
	defer func() {
		if err == nil {
			killNamespace(namespace)
		}
	}()
	return cmd.Wait()
}

// passQuit has the tests print their goroutines when this process is asked for its own.
func passQuit(tests *os.Process) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGQUIT)
	go func() {
		for range asked {
			_ = tests.Signal(syscall.SIGQUIT) // they may have ended
		}
	}()
}

func netOf(pid string) string { return filepath.Join("/proc", pid, "ns", "net") }

// killNamespace ends what a panic or a time-out of the tests has left in their network namespace.
func killNamespace(namespace string) {
	if own, err := os.Readlink(netOf("self")); err != nil || own == namespace {
		return
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if ns, err := os.Readlink(netOf(e.Name())); err == nil && ns == namespace {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
	}
}

// notStarted tells an error of the start from one of the tests.
func notStarted(err error) bool {
	_, ran := errors.AsType[*exec.ExitError](err)
	return err != nil && !ran
}

// builtClawd returns the path of a clawd binary, or "!" and the reason why there is none: tests
// that need no clawd run all the same.
func builtClawd() (path string, cleanup func()) {
	if given := os.Getenv(envClawd); given != "" {
		return given, func() {}
	}
	dir, err := os.MkdirTemp("", "clawd-bin-")
	if err != nil {
		return "!" + err.Error(), func() {}
	}
	path = filepath.Join(dir, "clawd")
	build := exec.Command("go", "build", "-o", path, "../cmd/clawd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		path = "!go build ./cmd/clawd: " + strings.TrimSpace(string(out)) + ": " + err.Error()
	}
	return path, func() { _ = os.RemoveAll(dir) }
}

// loopbackUp is `ip link set lo up`.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, ifr); err != nil {
		return err
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}

// require ends the test when the machine lacks something: a skip, or a failure where skips are
// not allowed.
func require(t *testing.T, missing string) {
	t.Helper()
	if missing == "" {
		return
	}
	if os.Getenv(envMust) == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// inAll skips a case that is not run every day.
func inAll(t *testing.T) {
	t.Helper()
	if os.Getenv(envAll) != "all" {
		t.Skipf("runs with %s=all", envAll)
	}
}

// onlyInAll skips a case that is not run every day, and has no place where time is short.
func onlyInAll(t *testing.T) {
	t.Helper()
	inAll(t)
	rare.Store(t.Name(), true)
}

var (
	rare    sync.Map // the names of the tests for which onlyInAll was called, for all below them
	ran     sync.Map // the versions of agents of which a case has begun
	started = time.Now()
)

// unseen says which pinned versions no case of a whole run has begun with: whatever was skipped, each agent has to show itself.
func unseen() (names []string) {
	if os.Getenv(envMust) != "1" || os.Getenv(envAll) != "all" || explicit("test.run") {
		return nil
	}
	for _, a := range pins() {
		if _, is := ran.Load(a); !is {
			names = append(names, a.kind+" "+a.version)
		}
	}
	return names
}

// inTime skips a rare case when the time for those is over. The order is random, so another run reaches what this one does not.
func inTime(t *testing.T) {
	t.Helper()
	if os.Getenv(envWithin) == "" {
		return
	}
	within, err := time.ParseDuration(os.Getenv(envWithin))
	if err != nil {
		t.Fatalf("%s: %v", envWithin, err)
	}
	if time.Since(started) < within {
		return
	}
	for name := t.Name(); name != "."; name = path.Dir(name) {
		if _, is := rare.Load(name); is {
			t.Skipf("not reached within %s (%s)", within, envWithin)
		}
	}
}

// TestNetworkIsClosed proves the isolation that all other tests stand on.
func TestNetworkIsClosed(t *testing.T) {
	require(t, missing)
	ifaces, err := os.ReadDir("/proc/self/net/dev_snmp6")
	if err == nil {
		for _, i := range ifaces {
			if i.Name() != "lo" {
				t.Errorf("interface %s exists", i.Name())
			}
		}
	}
	routes, err := os.ReadFile("/proc/self/net/route")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(strings.TrimSpace(string(routes)), "\n"); lines != 0 {
		t.Fatalf("%d routes lead out:\n%s", lines, routes)
	}
}
