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
	for _, line := range []string{"Type=notify", "KillMode=process", "OOMPolicy=continue", "StartLimitIntervalSec=0"} {
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

// install runs install.sh as on the system that uname names, in a home of its own.
func install(t *testing.T, uname string, env ...string) (home, output string) {
	t.Helper()
	home = t.TempDir()
	bin := filepath.Join(home, "bin")
	for name, script := range map[string]string{"uname": "echo " + uname, "systemctl": "exit 1", "loginctl": "exit 1"} {
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "install.sh", "/opt/a b/clawd")
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin"}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return home, string(out)
}

func TestInstallWritesNoSecrets(t *testing.T) {
	home, out := install(t, "Linux", "CLAUDE_CONFIG_DIR=/home/x/50% \"q\"", "ANTHROPIC_API_KEY=sk-secret",
		"HTTPS_PROXY=http://user:hunter2@proxy:3128", "HTTP_PROXY=http://proxy:3128")
	dir := filepath.Join(home, ".config/systemd/user")
	conf, err := os.ReadFile(filepath.Join(dir, "clawd.service.d/environment.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sk-secret", "hunter2"} {
		if strings.Contains(string(conf)+out, secret) {
			t.Errorf("%s was written:\n%s%s", secret, conf, out)
		}
	}
	for _, want := range []string{`Environment="CLAUDE_CONFIG_DIR=/home/x/50%% \"q\""`, `Environment="HTTP_PROXY=http://proxy:3128"`, `Environment="PATH=`} {
		if !strings.Contains(string(conf), want) {
			t.Errorf("%s is missing:\n%s", want, conf)
		}
	}
	unit, err := os.ReadFile(filepath.Join(dir, "clawd.service"))
	if err != nil || !strings.Contains(string(unit), `ExecStart="/opt/a b/clawd" run`) {
		t.Errorf("the unit does not start the installed program: %v\n%s", err, unit)
	}
}

func TestInstallOnMac(t *testing.T) {
	home, _ := install(t, "Darwin")
	f, err := os.Open(filepath.Join(home, "Library/LaunchAgents/com.github.clawd-project.clawd.plist"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := plistValues(t, f)
	if v["ProgramArguments"] != "/opt/a b/clawd run" || v["StandardErrorPath"] != home+"/Library/Logs/clawd.log" || !strings.HasPrefix(v["PATH"], home) {
		t.Errorf("%v", v)
	}
}
