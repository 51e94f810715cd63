package daemon

// atWork lists the sessions that a run of ours is at work in, or may soon be.
func (d *Daemon) atWork() []*session {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*session
	for _, s := range d.sessions {
		if s.child.Load() != 0 || s.busy.Load() || s.guards.Load() || s.under.Load() {
			all = append(all, s)
		}
	}
	return all
}
