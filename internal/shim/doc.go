// Package shim fires the daemon's resumes, which outlive it.
//
// A child begins as "clawd shim": the same program, in a process group of its own, waiting at a
// gate (a pipe). The daemon stores the child's pid and start time before it opens the gate; the
// shim then looks once more, makes the attempt's mark (a file that can be made only once) and
// becomes the agent in the same pid. When the daemon dies first, the pipe closes and the shim
// exits. So a claim without a mark proves that nothing ran, and a mark outlives everything else.
//
// Its output goes to a file, never through a pipe: neither a restart of clawd nor a full pipe can end
// or block an agent.
package shim
