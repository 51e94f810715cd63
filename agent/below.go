package agent

// Below tells whether a process is from, or was started by it or by what it started. A process that is
// gone counts as such: of it nothing can be told.
func Below(procs Procs, pid, from int) bool {
	const deepest = 64
	for range deepest {
		if pid == from {
			return true
		}
		p, ok := procs.Get(pid)
		if !ok || p.PPID <= 0 {
			return !ok
		}
		if pid = p.PPID; pid == 1 {
			return from == 1
		}
	}
	return true
}
