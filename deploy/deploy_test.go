// Package deploy_test checks the service files: what no service manager of this machine runs must
// at least be well-formed.
package deploy_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSystemdUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	unit, err := os.ReadFile("systemd/clawd.service")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := strings.Replace(string(unit), "%h/.local/bin/clawd", "/bin/true", 1)
	path := filepath.Join(dir, "clawd.service")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(analyze, "--user", "verify", path)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	for _, line := range []string{"Type=notify", "KillMode=process", "OOMPolicy=continue", "WatchdogSec=90s", "StartLimitIntervalSec=0"} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	for _, inherited := range []string{"\nUMask=", "\nMemoryMax=", "\nNoNewPrivileges="} {
		if strings.Contains(text, inherited) {
			t.Errorf("%s would be inherited by the agents", strings.TrimSpace(inherited))
		}
	}
}

// plistValues reads a property list's top dictionary: key -> text or element name.
func plistValues(t *testing.T, r io.Reader) map[string]string {
	t.Helper()
	values, key := map[string]string{}, ""
	d := xml.NewDecoder(r)
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			if e.Name.Local == "plist" || e.Name.Local == "dict" || e.Name.Local == "array" {
				continue
			}
			var text string
			if err := d.DecodeElement(&text, &e); err != nil {
				t.Fatal(err)
			}
			switch {
			case e.Name.Local == "key":
				key = text
			case e.Name.Local == "true" || e.Name.Local == "false":
				values[key] = e.Name.Local
			case text != "":
				values[key] = strings.TrimSpace(values[key] + " " + text)
			}
		}
	}
}

func TestLaunchdPlist(t *testing.T) {
	const name = "com.github.clawd-project.clawd"
	f, err := os.Open("launchd/" + name + ".plist")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := plistValues(t, f)
	for key, want := range map[string]string{
		"Label": name, "ProgramArguments": "@BINARY@ run", "AbandonProcessGroup": "true", "RunAtLoad": "true", "SuccessfulExit": "false",
	} {
		if v[key] != want {
			t.Errorf("%s = %q, want %q", key, v[key], want)
		}
	}
}

// odd is a folder's name of all that sed, systemd, XML or the script itself could take for its own.
const odd = `a b&c|d\1 50% <e> "q" $HOME 'f' n@22`

// program is a clawd in a folder below root, which names one variable of an agent.
func program(t *testing.T, root, folder string) string {
	t.Helper()
	path := filepath.Join(root, folder, "clawd")
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("#!/bin/sh\n[ \"$*\" = service-vars ] && echo CODEX_HOME\n"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// install runs install.sh for a binary, as on the system that uname names, in a home of its own.
func install(t *testing.T, uname, binary string, env ...string) (home, output string) {
	t.Helper()
	home = filepath.Join(t.TempDir(), odd)
	bin := filepath.Join(home, "bin")
	manager := "[ \"$2\" = daemon-reload ] && exit ${ANSWERS:-1}; exit ${RUNS:-1}"
	for name, script := range map[string]string{"uname": "echo " + uname, "systemctl": manager, "launchctl": manager, "loginctl": "exit 1"} {
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "install.sh", binary)
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin"}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return home, string(out)
}

func TestInstallWritesNoSecrets(t *testing.T) {
	home, out := install(t, "Linux", program(t, t.TempDir(), "a b"), "ANTHROPIC_API_KEY=sk-secret", "HTTP_PROXY=http://proxy:3128", "no_proxy=a@b", "NODE_EXTRA_CA_CERTS=/ca.pem",
		"HTTPS_PROXY=http://user:hunter2@proxy:3128", "http_proxy=http://user:hunter3@proxy:3128", "https_proxy=http://user:hunter4@proxy:3128",
		"ALL_PROXY=socks5://user:hunter5@proxy:1080", "all_proxy=socks5://user:hunter6@proxy:1080")
	dir := filepath.Join(home, ".config/systemd/user")
	conf, err := os.ReadFile(filepath.Join(dir, "clawd.service.d/environment.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sk-secret", "hunter"} {
		if strings.Contains(string(conf)+out, secret) {
			t.Errorf("%s was written:\n%s%s", secret, conf, out)
		}
	}
	for _, want := range []string{`Environment="HTTP_PROXY=http://proxy:3128"`, `Environment="no_proxy=a@b"`, `Environment="NODE_EXTRA_CA_CERTS=/ca.pem"`} {
		if !strings.Contains(string(conf), want+"\n") {
			t.Errorf("%s is missing:\n%s", want, conf)
		}
	}
	if n := strings.Count(out, "holds a password"); n != 5 {
		t.Errorf("%d of 5 passwords are spoken of:\n%s", n, out)
	}
}

// Nothing that may stand in a path is lost or means something else in the unit.
func TestInstallEscapes(t *testing.T) {
	opt := t.TempDir()
	home, out := install(t, "Linux", program(t, opt, odd), "CODEX_HOME=/x/"+odd+`\`)
	dir := filepath.Join(home, ".config/systemd/user")
	unit, err := os.ReadFile(filepath.Join(dir, "clawd.service"))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := os.ReadFile(filepath.Join(dir, "clawd.service.d/environment.conf"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `a b&c|d\\1 50%% <e> \"q\" $HOME 'f' n@22`
	if line := `ExecStart="` + opt + `/` + want + `/clawd" run`; !strings.Contains(string(unit), "\n"+line+"\n") {
		t.Errorf("the unit has no line %s:\n%s", line, unit)
	}
	for _, line := range []string{`Environment="CODEX_HOME=/x/` + want + `\\"`, `Environment="PATH=` + filepath.Dir(home) + `/` + want + `/bin:/usr/bin:/bin"`} {
		if !strings.Contains(string(conf), "\n"+line+"\n") {
			t.Errorf("%s is missing:\n%s", line, conf)
		}
	}
	if strings.Contains(out, "password") {
		t.Errorf("an @ in a path is no password:\n%s", out)
	}
}

// systemd itself finds the program again. It refuses quotes and backslashes, however they are written.
func TestInstalledUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	binary := filepath.Join(t.TempDir(), strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(odd))
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	home, _ := install(t, "Linux", binary)
	cmd := exec.Command(analyze, "--user", "verify", filepath.Join(home, ".config/systemd/user/clawd.service"))
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// What the user wrote and what clawd remembers stay, also where no service manager answers.
func TestUninstall(t *testing.T) {
	for _, uname := range []string{"Linux", "Darwin"} {
		home, _ := install(t, uname, program(t, t.TempDir(), "opt"))
		own := filepath.Join(home, ".config/systemd/user/clawd.service.d/override.conf")
		store := filepath.Join(home, ".local/state/clawd/clawd.db")
		binary := filepath.Join(home, ".local/bin/clawd")
		for _, path := range []string{own, store, binary} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", "uninstall.sh", binary)
		cmd.Env = []string{"HOME=" + home, "PATH=" + home + "/bin:/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for path, want := range map[string]bool{own: true, store: true, binary: false,
			filepath.Join(home, ".config/systemd/user/clawd.service"):                        false,
			filepath.Join(home, ".config/systemd/user/clawd.service.d/environment.conf"):     false,
			filepath.Join(home, "Library/LaunchAgents/com.github.clawd-project.clawd.plist"): false,
		} {
			if _, err := os.Lstat(path); (err == nil) != want {
				t.Errorf("%s: %s is there: %v, want %v", uname, path, err == nil, want)
			}
		}
		if !strings.Contains(string(out), filepath.Dir(store)) {
			t.Errorf("what stays is not named:\n%s", out)
		}
	}
}

// Who installs over a service that runs, for a newer clawd or another PATH, is told that nothing of it is in force yet.
func TestInstallOverAService(t *testing.T) {
	for _, system := range []string{"Linux", "Darwin"} {
		for runs, want := range map[string]string{"RUNS=0": "restart it: ", "RUNS=1": "Start it: "} {
			if _, out := install(t, system, program(t, t.TempDir(), "bin"), "ANSWERS=0", runs); !strings.Contains(out, want) {
				t.Errorf("%s, %s:\n%s", system, runs, out)
			}
		}
	}
}

func TestInstallOnMac(t *testing.T) {
	binary := program(t, t.TempDir(), odd)
	home, out := install(t, "Darwin", binary, "CODEX_HOME=/x/"+odd, "NODE_EXTRA_CA_CERTS=/ca.pem", "HTTPS_PROXY=http://user:hunter2@proxy:3128", "OPENAI_API_KEY=sk-secret")
	f, err := os.Open(filepath.Join(home, "Library/LaunchAgents/com.github.clawd-project.clawd.plist"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := plistValues(t, f)
	if v["ProgramArguments"] != binary+" run" || v["StandardErrorPath"] != home+"/Library/Logs/clawd.log" || v["PATH"] != home+"/bin:/usr/bin:/bin" ||
		v["CODEX_HOME"] != "/x/"+odd || v["NODE_EXTRA_CA_CERTS"] != "/ca.pem" || v["HTTPS_PROXY"]+v["OPENAI_API_KEY"] != "" || !strings.Contains(out, "HTTPS_PROXY holds a password") {
		t.Errorf("%v\n%s", v, out)
	}
}
