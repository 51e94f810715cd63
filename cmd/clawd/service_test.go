package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/daemon"
)

// service is a user manager of systemd's, in namespaces of its own, with clawd installed as "make install"
// does it.
type service struct {
	*world
	home, log string
	environ   []string
	inside    string // pid of the first process in the manager's namespaces
}

// manager starts the user manager. Its shell, and so all that it starts, is in a cgroup of its own, and ends
// with the test.
const manager = `
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system || exit 1
for c in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ -e $c/cgroup.procs ] || continue
	mkdir -p $c/$1/shell && echo $$ >$c/$1/shell/cgroup.procs || exit 1
done
"$2" --user --log-level=warning --log-target=console # not as process 1, which would make it the system's
exit
`

// newService starts the manager and installs clawd.
func newService(t *testing.T, modes ...string) *service {
	t.Helper()
	systemd := managerProgram(t)
	w := newWorld(t, modes...)
	s := &service{world: w, home: filepath.Join(w.root, "home"), log: filepath.Join(w.root, "clawd.log")}
	run := filepath.Join(w.root, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	s.environ = append(w.env, "XDG_RUNTIME_DIR="+run)
	group := "clawd-test-" + strconv.Itoa(os.Getpid())
	cmd := exec.Command("unshare", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", "sh", "-c", manager, "sh", group, systemd)
	cmd.Env = s.environ
	out := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(cmd.Process.Pid)
	children := filepath.Join("/proc", pid, "task", pid, "children")
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		removeGroup(group)
		if t.Failed() {
			b, _ := os.ReadFile(s.log)
			t.Logf("the manager:\n%s\nclawd:\n%s", out, b)
		}
	})
	w.until("the user manager", func() bool {
		select {
		case <-done:
			t.Fatalf("the user manager ended:\n%s", out)
		default:
		}
		b, _ := os.ReadFile(children)
		s.inside = strings.TrimSpace(string(b))
		state, _ := s.systemctl("is-system-running")
		return state == "running" || state == "degraded"
	})
	s.install()
	return s
}

// managerProgram skips where no user manager can be started.
func managerProgram(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a user manager of its own needs root")
	}
	for _, p := range []string{"/lib/systemd/systemd", "/usr/lib/systemd/systemd"} {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Skip("systemd is not installed")
	return ""
}

// removeGroup removes the cgroup, whose processes have ended, the folders below it first.
func removeGroup(name string) {
	for _, c := range []string{"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		var all []string
		_ = filepath.WalkDir(filepath.Join(c, name), func(path string, e os.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				all = append(all, path)
			}
			return nil
		})
		for i := len(all) - 1; i >= 0; i-- {
			_ = os.Remove(all[i])
		}
	}
}

// systemctl runs a command of the user manager's.
func (s *service) systemctl(args ...string) (string, error) {
	return s.run("systemctl", append([]string{"--user"}, args...)...)
}

// run runs a program beside the manager, in its namespaces.
func (s *service) run(program string, args ...string) (string, error) {
	cmd := exec.Command("nsenter", append([]string{"--target", s.inside, "--mount", "--pid", program}, args...)...)
	cmd.Env = s.environ
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *service) must(args ...string) string {
	s.t.Helper()
	out, err := s.systemctl(args...)
	if err != nil {
		s.t.Fatalf("systemctl --user %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// show gives one property of the unit.
func (s *service) show(property string) string {
	s.t.Helper()
	return s.must("show", "clawd", "--value", "--property="+property)
}

// script runs one of the project's own scripts for the installed program.
func (s *service) script(name string) string {
	s.t.Helper()
	path, err := filepath.Abs(filepath.Join("../../deploy", name))
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := s.run("sh", path, s.program())
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

func (s *service) program() string { return filepath.Join(s.home, ".local/bin/clawd") }

// install puts program and unit in place, over a running clawd, too, as "make install" does.
func (s *service) install() {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.program()), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if out, err := exec.Command("install", "-m", "755", build(s.t).clawd, s.program()).CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	s.script("install.sh")
}

// edit is "systemctl --user edit clawd".
func (s *service) edit(lines ...string) {
	s.t.Helper()
	s.write(filepath.Join(s.home, ".config/systemd/user/clawd.service.d/test.conf"), "[Service]\n"+strings.Join(lines, "\n")+"\n")
	s.must("daemon-reload")
}

// events gives the lines of clawd's log with the given event.
func (s *service) events(name string) (all []map[string]any) {
	b, _ := os.ReadFile(s.log)
	for l := range strings.Lines(string(b)) {
		m := map[string]any{}
		if json.Unmarshal([]byte(l), &m) == nil && m["event"] == name {
			all = append(all, m)
		}
	}
	return all
}

func (s *service) await(event string, n int) {
	s.t.Helper()
	s.until(event, func() bool { return len(s.events(event)) >= n })
}

// The unit under a real user manager, from its installation to its removal, with an agent that works on
// all the while.
func TestService(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("systemd is Linux's")
	}
	t.Parallel()
	s := newService(t, "hang")
	// Cut short below. Not at once: a clawd that can't start must not keep a core busy.
	if got := s.show("RestartUSec"); got != "5s" {
		t.Errorf("started again after %s, want 5s", got)
	}
	test := []string{"Environment=" + fakeDir + "=" + s.fake, "Environment=CLAWD_CONFIG=" + filepath.Join(s.root, "clawd.toml"),
		"StandardError=append:" + s.log, "RestartSec=200ms", "WatchdogSec=2s", "TimeoutAbortSec=2s"}
	s.edit(test...)

	s.must("enable", "--now", "clawd") // returns when clawd says that it is ready
	s.await("daemon_started", 1)
	if got := s.show("ActiveState") + " " + s.show("Type") + " " + s.must("is-enabled", "clawd"); got != "active notify enabled" {
		t.Fatalf("started: %s", got)
	}
	id, _ := s.limited()
	s.await("resume_started", 1)

	s.must("reload", "clawd")
	s.await("config_reloaded", 1)

	s.again("a restart", func() { s.must("restart", "clawd") })
	s.again("a kill", func() { s.must("kill", "--kill-who=main", "--signal=KILL", "clawd") })
	s.again("a clawd that hangs", func() { s.must("kill", "--kill-who=main", "--signal=STOP", "clawd") })
	if got := s.show("NRestarts"); got != "2" {
		t.Errorf("started again %s times by itself, want 2", got)
	}
	main := s.show("MainPID")
	s.install()
	if got := s.show("MainPID") + " " + s.show("ActiveState"); got != main+" active" {
		t.Errorf("an installation over a running clawd: %s, want process %s active", got, main)
	}
	s.again("a restart with the new program", func() { s.must("restart", "clawd") })

	s.must("stop", "clawd")
	if got := s.show("ActiveState") + " " + s.show("Result"); got != "inactive success" {
		t.Errorf("stopped: %s", got)
	}
	s.write(filepath.Join(s.fake, "release"), "")
	s.until("the agent's answer, with clawd stopped", func() bool {
		b, _ := os.ReadFile(s.transcript(id))
		return strings.Contains(string(b), "the answer")
	})
	s.must("start", "clawd")
	s.await("resume_succeeded", 1)
	if n := len(s.starts()); n != 1 {
		t.Errorf("the agent was started %d times", n)
	}
	s.failing()

	s.script("uninstall.sh")
	if out, _ := s.systemctl("is-active", "clawd"); out != "inactive" {
		t.Errorf("uninstalled: %s", out)
	}
	for _, path := range []string{s.program(), filepath.Join(s.home, ".config/systemd/user/clawd.service"),
		filepath.Join(s.home, ".config/systemd/user/clawd.service.d/environment.conf"), filepath.Join(s.home, ".config/systemd/user/default.target.wants/clawd.service")} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.state, "clawd", "clawd.db")); err != nil {
		t.Errorf("what clawd remembers is its user's to remove: %v", err)
	}
}

// again has clawd started once more, and sees that it takes the agent up that works on.
func (s *service) again(what string, do func()) {
	s.t.Helper()
	before, pid := len(s.events("daemon_started")), s.show("MainPID")
	do()
	s.await("daemon_started", before+1)
	s.until("clawd is ready after "+what, func() bool { return s.show("ActiveState") == "active" && s.show("MainPID") != pid })
	s.until("the agent is taken up after "+what, func() bool {
		out, err := s.run(s.program(), "status", "--json")
		var st daemon.Status
		return err == nil && json.Unmarshal([]byte(out), &st) == nil && len(st.Sessions) == 1 && st.Sessions[0].PID != 0
	})
	if n := len(s.starts()); n != 1 {
		s.t.Fatalf("after %s the agent was started %d times", what, n)
	}
}

// failing: a config that cannot be read keeps clawd from starting. The manager tries again from time to
// time, and goes on by itself when the config is mended.
func (s *service) failing() {
	s.t.Helper()
	config := filepath.Join(s.root, "clawd.toml")
	good, err := os.ReadFile(config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(config, "[resume]\nmax_atempts = 3\n")
	if out, err := s.systemctl("restart", "clawd"); err == nil {
		s.t.Errorf("a clawd with a broken config started: %s", out)
	}
	s.until("a second try", func() bool { n, _ := strconv.Atoi(s.show("NRestarts")); return n >= 1 })
	b, _ := os.ReadFile(s.log)
	if !strings.Contains(string(b), config+":2") || !strings.Contains(string(b), "max_atempts") {
		s.t.Errorf("the log does not name file, line and key:\n%s", b)
	}
	started := len(s.events("daemon_started"))
	s.write(config, string(good))
	s.await("daemon_started", started+1)
	s.until("clawd is there again", func() bool { return s.show("ActiveState") == "active" })
}
