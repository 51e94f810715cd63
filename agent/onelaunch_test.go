package agent

import (
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// Two runs in one folder that differ in who pays: whose the session is cannot be told, and so not who pays for it.
func TestOneLaunchPays(t *testing.T) {
	all := []Candidate{
		{Proc{PID: 7, Start: 1}, detect.Launch{PID: 7, Start: 1, Pays: "key@server"}},
		{Proc{PID: 8, Start: 2}, detect.Launch{PID: 8, Start: 2, Pays: "login"}},
	}
	if l, ok := (Config{}).OneLaunch(Env{}, all); ok && l.Pays != "" {
		t.Errorf("paid by %s", l.Pays)
	}
}

// Two runs with different options and a bound that clawd's runs lack. Its user gives clawd the same bound, as the log says: the options are not known
// all the same, so they do not count as none.
func TestOneLaunchOptions(t *testing.T) {
	with := func(value string) Env { return Env{Getenv: func(string) string { return value }} }
	bounds := with("").Bounds([]string{"BOX"}, []string{"BOX=docker"})
	all := []Candidate{
		{Proc{PID: 7, Start: 1}, detect.Launch{PID: 7, Start: 1, Bounds: bounds, Flags: []detect.Flag{{Name: "--exclude-tools", Values: []string{"Bash"}, Limits: true}}}},
		{Proc{PID: 8, Start: 2}, detect.Launch{PID: 8, Start: 2, Bounds: bounds}},
	}
	l, ok := (Config{}).OneLaunch(with(""), all)
	if !ok {
		t.Fatal("the bound is lost")
	}
	for name, c := range map[string]struct {
		env Env
		cfg Config
	}{"in its environment": {with("docker"), Config{}}, "by its config": {with(""), Config{Env: map[string]string{"BOX": "docker"}}}} {
		if flags, lost := (Options{}).Kept(&l, c.env, c.cfg, "agent.x"); lost == nil {
			t.Errorf("%s: resumed with the options %v", name, flags)
		}
	}
}

// Two runs with different options and a bound that clawd, started in the same shell, has as well. Clawd may lose it, as when it becomes a service: then
// it bounds the session.
func TestOneLaunchBoundLostLater(t *testing.T) {
	with := func(value string) Env { return Env{Getenv: func(string) string { return value }} }
	bounds := with("").Bounds([]string{"BOX"}, []string{"BOX=docker"})
	l, ok := (Config{}).OneLaunch(with("docker"), []Candidate{
		{Proc{PID: 7, Start: 1}, detect.Launch{PID: 7, Start: 1, Bounds: bounds, Flags: []detect.Flag{{Name: "--model", Values: []string{"x"}}}}},
		{Proc{PID: 8, Start: 2}, detect.Launch{PID: 8, Start: 2, Bounds: bounds}},
	})
	if !ok {
		t.Fatal("as if nobody had seen either, so a clawd without the bound resumes it without") // gemini and qwen-code do, where nobody saw
	}
	if _, lost := (Options{}).Kept(&l, with(""), Config{}, "agent.x"); lost == nil {
		t.Error("resumed without the bound")
	}
}

// The launcher's environment cannot be read: what its child has counts.
func TestOneLaunchBlindLauncher(t *testing.T) {
	env := Env{Getenv: func(string) string { return "" }}
	l, ok := (Config{}).OneLaunch(env, []Candidate{
		{Proc{PID: 7, Start: 1}, detect.Launch{PID: 7, Start: 1}},
		{Proc{PID: 8, PPID: 7, Start: 2}, detect.Launch{PID: 8, Start: 2, Bounds: env.Bounds([]string{"BOX"}, []string{"BOX=docker"})}},
	})
	if _, lost := (Options{}).Kept(&l, env, Config{}, "agent.x"); !ok || lost == nil {
		t.Errorf("%+v, %v", l, lost)
	}
}
