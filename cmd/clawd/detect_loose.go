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
func (d detecting) loose(f form, path string) (found []finding, err error) {
	root, err := os.MkdirTemp("", "clawd-detect-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	dir := filepath.Join(root, f.lay)
	if from := filepath.Dir(path); f.agent == "gemini" && filepath.Base(from) == "chats" { // the project's name is in its reports
		dir = filepath.Join(root, "tmp", filepath.Base(filepath.Dir(from)), "chats")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	room := int64(maxCopied)
	if err := copyFile(filepath.Join(dir, filepath.Base(path)), path, &room); err != nil {
		if errors.Is(err, errNoRoom) {
			err = fmt.Errorf("%s: %w; put it into a folder named .../%s, where it is read in place", path, err, f.lay)
		}
		return nil, err
	}
	if f.agent == "gemini" {
		if err := besides(dir, path, &room); err != nil {
			return nil, err
		}
	}
	all, errs, err := d.look(root, root)
	for _, one := range all {
		name := filepath.Base(one.Path)
		if one.Path = filepath.Join(filepath.Dir(path), name); f.agent == "codex" || idOf(name) == idOf(path) {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		err = errors.Join(err, errors.Join(errs...))
	}
	return found, err
}

// idOf is the part of a session's id that stands in the name of Gemini's file.
func idOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return name[strings.LastIndexByte(name, '-')+1:]
}

// maxCopied bounds what is copied for one session, in bytes.
const maxCopied = 1 << 30

var errNoRoom = fmt.Errorf("it is larger than the %d MB that clawd copies to read a file outside its agent's folder", maxCopied>>20)

// maxBesides bounds how many files of a project are laid out beside one.
const maxBesides = 200

// besides copies what tells more of a session of Gemini: other files of the same session, of which one
// counts, other sessions, which may have caused an error report, and the note of the project's folder.
func besides(dir, path string, room *int64) error {
	others, err := filepath.Glob(filepath.Join(filepath.Dir(path), "session-*"))
	if err != nil || len(others) > maxBesides {
		others = nil
	}
	for _, other := range others {
		if _, ok := formOf(other); ok {
			_ = copyFile(filepath.Join(dir, filepath.Base(other)), other, room) // without it, less is known
		}
	}
	err = copyFile(filepath.Join(filepath.Dir(dir), ".project_root"), filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root"), room)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// copyFile copies a regular file with its time of change, and takes its size off room.
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
		if f, ok := formOf(path); !ok || !e.Type().IsRegular() || d.o.agent != "" && d.o.agent != f.agent {
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
