package daemon

import (
	"path/filepath"
	"testing"
)

// A folder that is watched already, as the nearest parent of one that is not there yet, is a folder of the agent all the same.
func TestFolderOnTheWayToAnother(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		root := t.TempDir()
		v := newScout(r.d, r.watch, r.d.agents[0])
		v.add(filepath.Join(root, "not", "there"), 1)
		v.add(root, 0)
		if depth, known := v.folders[root]; !known || depth != 0 {
			t.Errorf("its folders are %v", v.folders)
		}
	})
}
