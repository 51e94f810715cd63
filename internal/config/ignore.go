package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// Ignores tells whether ignore_projects takes a folder out, by its name or as links lead to it.
func (w Watch) Ignores(dir string) bool {
	if len(w.IgnoreProjects) == 0 {
		return false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil { // it may be gone
		real = dir
	}
	return slices.ContainsFunc(w.IgnoreProjects, func(p string) bool {
		to, err := filepath.EvalSymlinks(p)
		return below(dir, p) || err == nil && below(real, to)
	})
}

// below tells whether dir is project or lies in it.
func below(dir, project string) bool {
	project = filepath.Clean(project)
	return dir == project || strings.HasPrefix(dir, strings.TrimSuffix(project, "/")+"/")
}
