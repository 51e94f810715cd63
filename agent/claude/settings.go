package claude

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// shapes are what values in a settings file are, by their keys. One that is of another kind has Claude Code pass over the whole file. They
// are those on which 2.1.197 to 2.1.332 agree; where one of these bears another kind, the key is not here.
var shapes = map[string]string{
	"$schema": text, "apiKeyHelper": text, "awsAuthRefresh": text, "language": text, "model": text, "otelHeadersHelper": text, "outputStyle": text,
	"cleanupPeriodDays":     number,
	"alwaysThinkingEnabled": yesNo, "autoMemoryEnabled": yesNo, "disableAllHooks": yesNo, "enableAllProjectMcpServers": yesNo, "fastMode": yesNo,
	"includeCoAuthoredBy": yesNo, "includeGitInstructions": yesNo, "prefersReducedMotion": yesNo, "respectGitignore": yesNo, "sandbox.enabled": yesNo,
	"skipDangerousModePermissionPrompt": yesNo, "spinnerTipsEnabled": yesNo, "verbose": yesNo,
	"availableModels": list, "companyAnnouncements": list, "permissions.allow": list, "permissions.ask": list, "permissions.deny": list,
	"sandbox.excludedCommands": list,
	"enabledPlugins":           object, "env": object, "fileSuggestion": object, "permissions": object, "sandbox": object, "sandbox.network": object,
	"spinnerVerbs": object, "statusLine": object,
}

const (
	text   = "a string"
	number = "a number"
	yesNo  = "true or false"
	list   = "an array"
	object = "an object"
)

func shape(v any) string {
	switch v.(type) {
	case string:
		return text
	case float64:
		return number
	case bool:
		return yesNo
	case []any:
		return list
	case map[string]any:
		return object
	}
	return ""
}

// modes are the permission modes that settings may begin a session in.
var modes = []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan", "manual"}

// sound says what in settings has a version of Claude Code pass over the file that they are from.
func sound(settings any, version string) error {
	all, ok := settings.(map[string]any)
	if !ok {
		return errors.New("it must be an object")
	}
	for _, key := range slices.Sorted(maps.Keys(shapes)) {
		of, name := all, key
		if outer, inner, nested := strings.Cut(key, "."); nested {
			of, _ = all[outer].(map[string]any) // what else it is was looked at
			name = inner
		}
		if v, there := of[name]; there && shape(v) != shapes[key] {
			return fmt.Errorf("%s must be %s", key, shapes[key])
		}
	}
	if err := soundGuards(all["hooks"]); err != nil {
		return err
	}
	permissions, _ := all["permissions"].(map[string]any) // looked at
	mode, there := permissions["defaultMode"]
	if !there || agent.AtLeast(version, 2, 1, 333) { // which may have more of them
		return nil
	}
	has := modes
	if version != "" && !agent.AtLeast(version, 2, 1, 198) {
		has = modes[:len(modes)-1]
	}
	if name, _ := mode.(string); !slices.Contains(has, name) {
		return fmt.Errorf("permissions.defaultMode must be one of %s", strings.Join(has, ", "))
	}
	return nil
}

// guards are the events whose hooks may deny. A fault in one voids the file, or that guard.
var guards = []string{"PermissionRequest", "PreToolUse"}

// soundGuards says what is wrong with the hooks that may deny.
func soundGuards(hooks any) error {
	events, _ := hooks.(map[string]any) // what is none is passed over alone
	for _, event := range guards {
		value, there := events[event]
		entries, ok := value.([]any)
		if there && !ok {
			return fmt.Errorf("hooks.%s must be an array", event)
		}
		for n, entry := range entries {
			of, _ := entry.(map[string]any)
			matcher, matches := of["matcher"]
			list, ok := of["hooks"].([]any)
			if !ok || matches && shape(matcher) != text || slices.ContainsFunc(list, unsound) {
				return fmt.Errorf("entry %d of hooks.%s must be an object with an array of hooks, and a string as matcher if any", n+1, event)
			}
		}
	}
	return nil
}

// unsound tells whether a hook cannot be run.
func unsound(hook any) bool {
	of, ok := hook.(map[string]any)
	return !ok || shape(of["type"]) != text || of["type"] == "command" && shape(of["command"]) != text
}
