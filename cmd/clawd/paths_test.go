package main

import "testing"

// TestWhereAllMeet: a service and a shell of one user may have two values of XDG_STATE_HOME, and must know of each other.
func TestWhereAllMeet(t *testing.T) {
	const library = "/home/dev/Library/Application Support/clawd"
	for _, c := range []struct {
		system string
		env    map[string]string
		want   paths
	}{
		{"linux", nil, paths{"/home/dev/.local/state/clawd", "/home/dev/.local/state/clawd", "/home/dev/.local/state/clawd/clawd.sock"}},
		{"linux", map[string]string{"XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"}, paths{"/s/clawd", "/home/dev/.local/state/clawd", "/r/clawd/clawd.sock"}},
		{"darwin", nil, paths{library, library, library + "/clawd.sock"}},
		{"darwin", map[string]string{"XDG_STATE_HOME": "/s"}, paths{"/s/clawd", library, "/s/clawd/clawd.sock"}},
		{"darwin", map[string]string{"XDG_RUNTIME_DIR": "/r"}, paths{library, library, library + "/clawd.sock"}},
	} {
		got := pathsOn(c.system, func(name string) string {
			if name == "HOME" {
				return "/home/dev"
			}
			return c.env[name]
		})
		if got != c.want {
			t.Errorf("%s, %v: %+v", c.system, c.env, got)
		}
	}
}
