package gemini

import (
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
)

// wayKey is where the settings say how the agent signs in, and its name in a purse. It counts before all variables, and the key that it may turn to
// lies where no environment shows it: in a key chain or a .env file.
const wayKey = "security.auth.selectedType"

// way gives how the agent signs in, by the user's settings and, over them, the project's; empty: they do not tell.
func (g *Gemini) way(dir string) string {
	var set struct {
		Security struct {
			Auth struct {
				Way string `json:"selectedType"`
			} `json:"auth"`
		} `json:"security"`
	}
	paths := []string{filepath.Join(g.root, "settings.json")}
	if dir != "" {
		paths = append(paths, filepath.Join(dir, ".gemini", "settings.json"))
	}
	for _, path := range paths {
		_ = agent.ReadJSONC(path, settingsMax, &set) // what cannot be read says nothing
	}
	return set.Security.Auth.Way
}

// signed is a purse with the way in which a process that was started in a folder signed in, as far as that is known.
func (g *Gemini) signed(purse, dir string) string {
	way := g.way(dir)
	if purse == "" || way == "" {
		return purse
	}
	return purse + "," + wayKey + "=" + agent.Digest(way)
}

// otherWay tells whether a run in a folder would sign in in another way than the purse says.
func (g *Gemini) otherWay(purse, dir string) bool {
	way := g.way(dir)
	return way != "" && !agent.SameValue(purse, wayKey, way)
}
