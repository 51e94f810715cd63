package opencode

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/clawd-project/clawd/agent"
)

// repository is what a git repository's files say of it without git.
type repository struct {
	common  string // the folder that all its work trees share; empty: outside git
	project string // the id that opencode has noted there; empty: none, as for the global one
}

// maxPath bounds what is read of a file that holds one path.
const maxPath = 4096

// repositoryOf finds the repository that a folder lies in, as git does: by the next .git upwards.
func repositoryOf(dir string) (repository, error) {
	for {
		path := filepath.Join(dir, ".git")
		fi, err := os.Stat(path)
		switch parent := filepath.Dir(dir); {
		case err == nil:
			return openRepository(path, fi.IsDir())
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return repository{}, err
		case parent == dir:
			return repository{}, nil
		default:
			dir = parent
		}
	}
}

// openRepository reads a .git: the repository itself, or a file that a further work tree has in its
// place, which leads to a folder that names the shared one.
func openRepository(path string, isDir bool) (repository, error) {
	if !isDir {
		line, err := readPath(path)
		if err != nil {
			return repository{}, err
		}
		to, ok := strings.CutPrefix(line, "gitdir: ")
		if !ok {
			return repository{}, fmt.Errorf("%s names no repository", path)
		}
		path = resolve(filepath.Dir(path), to)
	}
	common, err := readPath(filepath.Join(path, "commondir"))
	if agent.SkipAbsent(err) != nil {
		return repository{}, err
	}
	if common, err = filepath.EvalSymlinks(resolve(path, common)); err != nil {
		return repository{}, err
	}
	r := repository{common: common}
	// opencode, too, takes a note that it cannot read for none.
	if id, err := readPath(filepath.Join(common, "opencode")); err == nil {
		r.project = strings.TrimSpace(id)
	}
	return r, nil
}

// resolve makes a path absolute that a file in dir holds; an empty one is dir itself.
func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// readPath reads a file of one line.
func readPath(path string) (string, error) {
	f, err := agent.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxPath+1))
	if err == nil && len(b) > maxPath {
		err = fmt.Errorf("%s is larger than a path", path)
	}
	return strings.TrimRight(string(b), "\r\n"), err
}
