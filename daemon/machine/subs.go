package machine

import "github.com/clawd-project/clawd/detect"

// sawSubs takes in what was seen of the session's sub-agents at the end of its turn. It is written with that end, or with what is
// yet to be asked about it not at all.
func (t *step) sawSubs(f *FilesSeen) {
	if f.SubsAt.IsZero() {
		return
	}
	t.s.Rec.Subs.Asked, t.s.Files.Unsaved = f.SubsAt, true
	t.subsStopped(f.Subs)
}

// subsStopped has its user told of sub-agents that have stopped. It asks for nothing and plans nothing: that a sub-agent stopped is
// no reason to resume a session.
func (t *step) subsStopped(stops []detect.SubStop) {
	if t.s.Rec.Ignored || t.w.Config.Watch.Ignores(t.s.Rec.Info.Dir) {
		return
	}
	main := t.s.stop()
	var tell []detect.SubStop
	for _, x := range stops {
		if x.Counts(main) && t.recent(detect.Stop{At: x.At, ResetAt: x.ResetAt}) {
			tell = append(tell, x)
		}
	}
	t.write(t.s.Rec.SubsStopped(t.w.Books, tell))
}
