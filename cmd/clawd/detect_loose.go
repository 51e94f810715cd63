package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// loose reads a session's file that lies outside its agent's folder, such as one that somebody sent.
// Agents read only where they keep their files, so a copy is laid out there, in a folder that goes
// again.
func (d detecting) loose(k agent.Kind, path string) (found []finding, err error) {
	root, err := os.MkdirTemp("", "clawd-detect-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	room := int64(maxCopied)
	for n, c := range k.Layout.Lay(path) {
		err := copyFile(filepath.Join(root, c.To), c.From, &room)
		switch {
		case n > 0: // without it, less is known
		case errors.Is(err, errNoRoom):
			return nil, fmt.Errorf("%s: %w; put it into a folder named .../%s, where it is read in place", path, err, filepath.Dir(c.To))
		case err != nil:
			return nil, err
		}
	}
	all, errs, err := d.look(root, root)
	for _, one := range all {
		name := filepath.Base(one.Path)
		if one.Path = filepath.Join(filepath.Dir(path), name); one.Agent == k.Name && idOf(name) == idOf(path) {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		err = errors.Join(err, errors.Join(errs...))
	}
	return found, err
}

// idOf is the part of a session's id that stands at the end of its file's name.
func idOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return name[strings.LastIndexByte(name, '-')+1:]
}

// maxCopied bounds what is copied for one session, in bytes.
const maxCopied = 1 << 30

var errNoRoom = fmt.Errorf("it is larger than the %d MB that clawd copies to read a file outside its agent's folder", maxCopied>>20)

// copyFile copies a regular file into a folder that is made, with its time of change, and takes its size off room.
func copyFile(to, from string, room *int64) error {
	in, err := agent.OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	size := fi.Size()
	if size > *room {
		return errNoRoom
	}
	*room -= size
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, size))
	return errors.Join(err, out.Close(), os.Chtimes(to, fi.ModTime(), fi.ModTime()))
}

// maxLoose bounds how many files a folder without any agent's layout is searched for.
const maxLoose = 10_000

// gather finds session files in a folder that is no agent's, by their names.
func (d detecting) gather(folder string) (found []finding, errs []error) {
	seen := 0
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxLoose {
			return errors.Join(err, fs.SkipAll)
		}
		if k, ok := d.kindOf(path); !ok || !e.Type().IsRegular() || d.o.agent != "" && d.o.agent != k.Name {
			return nil
		}
		more, err := d.file(path)
		for _, m := range more {
			if !slices.ContainsFunc(found, func(f finding) bool { return f.Agent == m.Agent && f.Session == m.Session }) {
				found = append(found, m)
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		errs = append(errs, err)
	}
	return found, errs
}
