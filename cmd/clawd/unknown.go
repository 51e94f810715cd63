package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/state"
)

// listUnknown prints the failures that no rule explains: from the running daemon, else from its
// store.
func listUnknown(ctx context.Context, o detectOptions, paths []string, out io.Writer) error {
	if len(paths) > 0 || o.message != "" {
		return usage(errors.New("--unknown lists what clawd has met; it takes no paths and no --message"))
	}
	if o.agent != "" {
		if _, err := all.Kind(o.agent); err != nil {
			return usage(fmt.Errorf("--agent: %w", err))
		}
	}
	var met []state.Unknown
	err := ask(ctx, "/v1/unknown", &met)
	if c := (*codeError)(nil); errors.As(err, &c) && c.code == exitNoDaemon {
		met, err = state.ReadUnknown(filepath.Join(userPaths().state, "clawd.db"))
	}
	if err != nil {
		return err
	}
	return printUnknown(out, met, o)
}

func printUnknown(out io.Writer, all []state.Unknown, o detectOptions) error {
	var b bytes.Buffer
	enc := json.NewEncoder(plain.JSON(&b))
	enc.SetEscapeHTML(false)
	n := 0
	for _, u := range all {
		if o.agent != "" && u.Agent != o.agent {
			continue
		}
		if o.json {
			if err := enc.Encode(u); err != nil {
				return err
			}
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(&b, "Failures that clawd %s does not understand. Paths, ids, keys and addresses were taken out; look\n"+
				"once more before you paste them into an issue.\n", version())
		}
		fmt.Fprintf(&b, "\n%s %s", u.Agent, u.Version)
		if u.Status != 0 {
			fmt.Fprintf(&b, ", HTTP %d", u.Status)
		}
		fmt.Fprintf(&b, ", %s, seen %s, last %s\n> %s\n", tame(u.Field), plain.Count(u.Count, "time"), u.Last.UTC().Format(time.RFC3339), tame(u.Text))
	}
	if n == 0 && !o.json {
		fmt.Fprintln(&b, "clawd has met no failure that it does not understand.")
	}
	_, err := b.WriteTo(out)
	return err
}
