package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// project is what opencode lists sessions by: one for all work trees and clones of a git repository,
// and one for everything else.
type project struct {
	id       string // empty: the session is gone
	dir      string // of the session
	worktree string
	folders  []string // in which it was opened; not those of the global one
}

// globalProject is the id of the one for everything else: folders outside git, and repositories that
// have no commit yet.
const globalProject = "global"

// maxFolders bounds how many folders of a project are looked at.
const maxFolders = 1000

// project gives the project of a session.
func (o *OpenCode) project(ctx context.Context, s detect.Session, dir string) (project, error) {
	var p project
	if isJSON(s) {
		var err error
		p, err = o.storedProject(s)
		p.dir = dir
		return p, err
	}
	err := o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
		p = project{dir: dir}
		err := tx.QueryRowContext(ctx, "select substr(project_id, 1, 200) from session where id = ?", s.ID).Scan(&p.id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil || p.id == globalProject {
			return err
		}
		return p.load(ctx, tx)
	})
	return p, err
}

// folderQueries ask for the folders of a project, by the column that has them.
var folderQueries = map[string]string{
	"session.directory":           `select distinct substr(directory, 1, 4096) from session where project_id = ? and directory <> ''`,
	"project.worktree":            `select substr(worktree, 1, 4096) from project where id = ? and worktree <> ''`,
	"project.sandboxes":           `select substr(j.value, 1, 4096) from project p, json_each(case when json_valid(p.sandboxes) then p.sandboxes else '[]' end) j where p.id = ? and j.type = 'text' and j.value <> ''`,
	"project_directory.directory": `select substr(directory, 1, 4096) from project_directory where project_id = ? and directory <> ''`,
}

// load reads the folders of the project, from as many of the columns as this version has.
func (p *project) load(ctx context.Context, tx *sql.Tx) error {
	var columns []string
	err := each(ctx, tx, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		columns = append(columns, name)
		return err
	}, `select t.name || '.' || c.name from sqlite_master t, pragma_table_info(t.name) c
		where t.type = 'table' and t.name in ('session', 'project', 'project_directory')`)
	if err != nil {
		return err
	}
	for _, column := range columns {
		q := folderQueries[column]
		if q == "" {
			continue
		}
		err := each(ctx, tx, func(scan func(...any) error) error {
			var folder string
			err := scan(&folder)
			if p.folders = append(p.folders, folder); column == "project.worktree" {
				p.worktree = folder
			}
			return err
		}, q+" limit ?", p.id, maxFolders+1)
		if err != nil {
			return err
		}
	}
	if len(p.folders) > maxFolders {
		return fmt.Errorf("the session's project has more than %d folders", maxFolders)
	}
	return nil
}

// storedProject gives the project of a session of the JSON files, which lies in a folder of its name.
func (o *OpenCode) storedProject(s detect.Session) (project, error) {
	p := project{id: filepath.Base(filepath.Dir(s.Path))}
	if p.id == globalProject {
		return p, nil
	}
	path := filepath.Join(o.storageOf(s.Path), "project", p.id+".json")
	err := agent.Inside(o.data, path)
	var b []byte
	if err == nil {
		b, err = readJSON(path)
	}
	if err != nil {
		return p, agent.SkipAbsent(err)
	}
	var row struct {
		Worktree  string   `json:"worktree"`
		Sandboxes []string `json:"sandboxes"`
	}
	if json.Unmarshal(b, &row) != nil {
		return p, fmt.Errorf("%s: %w", path, errRewritten)
	}
	p.worktree = row.Worktree
	for _, f := range append(row.Sandboxes, row.Worktree) {
		if f != "" {
			p.folders = append(p.folders, f)
		}
	}
	return p, nil
}

// has tells whether an opencode that works in a folder takes it for one of the project. What opencode
// asks git, its files must tell; where they do not, that is an error.
func (p project) has(dir string) (bool, error) {
	if p.id == "" {
		return false, nil
	}
	here, err := repositoryOf(dir)
	if err != nil {
		return false, err
	}
	switch {
	case here.project == p.id:
		return true, nil
	case p.id == globalProject:
		// A session that was begun in the home folder does not make every repository below it global,
		// so here no folder of another session counts.
		return here.project == "", nil
	case slices.ContainsFunc(p.folders, func(f string) bool { return related([]string{dir}, f) }):
		return true, nil
	case here.common == "":
		return false, nil
	}
	for _, d := range []string{p.worktree, p.dir} {
		if there, err := repositoryOf(d); err != nil || there.common == here.common {
			return true, err
		}
	}
	return false, nil
}

// hasAny is has for a process that may work in one of several folders.
func (p project) hasAny(dirs []string) (bool, error) {
	for _, d := range dirs {
		if ok, err := p.has(d); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
