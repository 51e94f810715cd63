package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/state"
)

// completePatience: a shell waits for the answer.
const completePatience = 2 * time.Second

// completeSession completes the id of a session that stands in one of the given ways; none: in any.
func completeSession(of ...state.Standing) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completePatience)
		defer cancel()
		var st daemon.Status
		if ask(ctx, "/v1/status", &st) != nil {
			st, _, _ = stored() // what can be read is enough here
		}
		var all []string
		for _, s := range st.Sessions {
			name := s.Session
			if strings.Contains(begun, "/") {
				name = s.Agent + "/" + name
			}
			if strings.HasPrefix(name, begun) && (len(of) == 0 || slices.Contains(of, s.Status)) {
				all = append(all, tame(name)+"\t"+s.Agent+" "+tame(s.Project)+": "+strings.ReplaceAll(string(s.Status), "_", " "))
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeNoFiles keeps file names away from commands that take none.
func completeNoFiles(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		completeNoFiles(c)
	}
	if takesFiles := slices.Contains([]string{"detect", "exec", "wrap"}, cmd.Name()); !takesFiles && cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}
