// Package spawn starts agents and ends them. Only it, and clawd wrap, know how: the environment, the process
// group, the input.
package spawn
