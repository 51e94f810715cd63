package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent/all"
)

func newShellInit() *cobra.Command {
	return &cobra.Command{
		Use:   "shell-init bash|zsh|fish",
		Short: "Print shell functions that run the agents through clawd wrap",
		Long: `Print functions named like the agents, which run them through "clawd wrap" in an
interactive shell. For the shell's startup file:

  bash, ~/.bashrc:                    eval "$(clawd shell-init bash)"
  zsh, ~/.zshrc:                      eval "$(clawd shell-init zsh)"
  fish, ~/.config/fish/config.fish:   clawd shell-init fish | source

"command claude" runs the agent as it is.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == "" {
				return usage(fmt.Errorf("name one shell: %s", strings.Join(slices.Sorted(maps.Keys(shells)), ", ")))
			}
			return nil
		},
		ValidArgs: slices.Sorted(maps.Keys(shells)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var b strings.Builder
			b.WriteString(shells[args[0]])
			for _, name := range all.Names() {
				fmt.Fprintf(&b, agentFunction[args[0]], name)
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
			return err
		},
	}
}

// shells have a function that decides for one call. The program's absence is the shell's to report.
var shells = map[string]string{
	"bash": `# Runs coding agents through "clawd wrap". In ~/.bashrc: eval "$(clawd shell-init bash)"
function _clawd_wrap {
	if [[ $- == *i* && -t 0 && -t 1 ]] && type -P clawd >/dev/null && type -P "$1" >/dev/null; then
		command clawd wrap -- "$@"
	else
		command "$@"
	fi
}
`,
	"zsh": `# Runs coding agents through "clawd wrap". In ~/.zshrc: eval "$(clawd shell-init zsh)"
function _clawd_wrap {
	if [[ -o interactive && -t 0 && -t 1 ]] && whence -p clawd >/dev/null && whence -p "$1" >/dev/null; then
		command clawd wrap -- "$@"
	else
		command "$@"
	fi
}
`,
	"fish": `# Runs coding agents through "clawd wrap". In config.fish: clawd shell-init fish | source
function _clawd_wrap
	if status is-interactive; and isatty stdin; and isatty stdout; and command -q clawd; and command -q $argv[1]
		command clawd wrap -- $argv
	else
		command $argv
	end
end
`,
}

// agentFunction defines the function of one agent, unless its user has one. The word "function"
// keeps an alias of that name from being expanded here.
var agentFunction = map[string]string{
	"bash": `declare -F %[1]s >/dev/null || function %[1]s { _clawd_wrap %[1]s "$@"; }` + "\n",
	"zsh":  `(( $+functions[%[1]s] )) || function %[1]s { _clawd_wrap %[1]s "$@"; }` + "\n",
	"fish": `functions -q %[1]s; or function %[1]s; _clawd_wrap %[1]s $argv; end` + "\n",
}
