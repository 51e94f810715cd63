package actor

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// rewinds is Esc in an idle terminal, twice, and Enter: its user takes the newest turn back. The session lets go of its lock for a moment,
// and goes on in a rollout of its own, which holds none of what was before.
func (p *codex) rewinds(now time.Time) error {
	p.writing = Whole
	if err := p.flush(now); err != nil {
		return err
	}
	if err := os.Remove(p.lock()); err != nil {
		return err
	}
	p.proc.Open = slices.DeleteFunc(p.proc.Open, func(path string) bool { return path == p.path || path == p.lock() })
	local, revision := now.In(p.w.zone()), uuid7(p.w.Rand, now)
	p.path = filepath.Join(p.c.root, "sessions", local.Format("2006/01/02"), "rollout-"+local.Format("2006-01-02T15-04-05")+"-"+p.id+"_"+revision+".jsonl")
	p.c.files[p.id], p.turn, p.last = p.path, "", revision
	n := strconv.Itoa(p.next)
	base := `"history_base":{"thread_id":"` + p.id + `","end_ordinal_exclusive":` + n + `,"end_byte_offset":1},"multi_agent_version":"v1",`
	source := `"cli"`
	if p.server != nil {
		source = `"vscode"`
	}
	p.put(now, p.line(now, codexMeta, "origin", "codex-tui", "source", source, "thread", "user", "fork", "", "base", base))
	return p.take(now)
}
