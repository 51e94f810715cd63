package agent

import (
	"slices"
	"testing"
	"time"
)

func TestAuth(t *testing.T) {
	for _, c := range []struct {
		name   string
		config map[string]string
		env    string
		login  bool
		want   string
	}{
		{"nothing: a key chain that cannot be seen", nil, "", false, "login"},
		{"a login", nil, "", true, "login"},
		{"a key", nil, "sk", false, "key"},
		{"both: the login's limit resets by itself", nil, "sk", true, "login"},
		{"the config's key is the user's own word", map[string]string{"OTHER_KEY": "sk"}, "", true, "key"},
		{"the config takes the key away", map[string]string{"SOME_KEY": ""}, "sk", false, "login"},
	} {
		env := Env{Getenv: func(name string) string {
			if name == "SOME_KEY" {
				return c.env
			}
			return ""
		}}
		if got := (Config{Env: c.config}).Auth(env, []string{"SOME_KEY", "OTHER_KEY"}, c.login); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEnviron(t *testing.T) {
	c := Config{Env: map[string]string{"B": "2", "KEY": "sk", "A": "1", "HOME_DIR": "given"}}
	if got, want := c.Environ([]string{"KEY"}, "HOME_DIR", "/x"), []string{"A=1", "B=2", "HOME_DIR=/x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := c.Environ(nil, "HOME_DIR", ""), []string{"A=1", "B=2", "HOME_DIR=given", "KEY=sk"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (Config{}).Environ(nil, "HOME_DIR", "/x"), []string{"HOME_DIR=/x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(c.Env) != 4 {
		t.Errorf("the config was changed: %q", c.Env)
	}
}

func TestLocation(t *testing.T) {
	env := func(tz string) Env {
		return Env{Getenv: func(name string) string { return map[string]string{"TZ": tz}[name] }}
	}
	for tz, want := range map[string]string{"Europe/Rome": "Europe/Rome", "UTC": "UTC", "": "Local", "No/Where": "Local", "CET-1": "Local"} {
		if got := env(tz).Location().String(); got != want {
			t.Errorf("TZ=%s: %s, want %s", tz, got, want)
		}
	}
	given := env("Europe/Rome")
	given.Zone = time.UTC
	if got := given.Location(); got != time.UTC {
		t.Errorf("%s, want the zone that is given", got)
	}
}

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{"2.1.197": true, "2.1.329": true, "2.2.0": true, "3.0.0": true, "2.1.196": false, "2.0.999": false, "1.9.9": false,
		"2.1": false, "": false, "2.1.x": false, "2.1.197-beta": false} {
		if AtLeast(version, 2, 1, 197) != want {
			t.Errorf("%q: %t", version, !want)
		}
	}
}

func TestRel(t *testing.T) {
	for _, c := range []struct {
		path, want string
		ok         bool
	}{{"/real/a/b", "a/b", true}, {"/link/a", "a", true}, {"/real/../real/a", "a", true}, {"/real", ".", true}, {"/other/a", "", false}, {"/real/../x", "", false}} {
		if got, ok := Rel(c.path, "/real", "", "/link"); got != c.want || ok != c.ok {
			t.Errorf("%s: %q %t", c.path, got, ok)
		}
	}
}
