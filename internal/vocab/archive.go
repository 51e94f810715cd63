package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
)

// How much is unpacked of an archive in a program, and of one file in it, in bytes.
const (
	largestArchive = 1 << 30
	largestMember  = 256 << 20
)

var gzipMagic = []byte{0x1f, 0x8b, 8}

// unpacked gives the files of each gzipped tar that a program carries. Bytes that only look like the beginning of one are
// passed over.
func unpacked(program []byte, most int64, found func(name string, r io.Reader) error) error {
	for at := 0; ; {
		n := bytes.Index(program[at:], gzipMagic)
		if n < 0 {
			return nil
		}
		at += n
		size, err := untar(program[at:], most, found)
		if err != nil {
			return fmt.Errorf("archive at byte %d: %w", at, err)
		}
		at += max(size, 1)
	}
}

// untar reads one archive, and gives its size in the program; 0: none begins here.
func untar(b []byte, most int64, found func(name string, r io.Reader) error) (size int, err error) {
	in := bytes.NewReader(b)
	z, err := gzip.NewReader(in)
	if err != nil {
		return 0, nil
	}
	z.Multistream(false) // behind it stands the rest of the program
	left := &io.LimitedReader{R: z, N: most}
	t := tar.NewReader(left)
	for first := true; ; first = false {
		h, err := t.Next()
		switch {
		case first && err != nil:
			return 0, nil // of something else
		case left.N <= 0:
			return 0, fmt.Errorf("it has more than %d bytes", most)
		case errors.Is(err, io.EOF):
			return len(b) - in.Len(), nil
		case err != nil:
			return 0, err
		}
		if h.Typeflag == tar.TypeReg {
			if err := found(h.Name, t); err != nil {
				return 0, fmt.Errorf("%s: %w", h.Name, err)
			}
		}
	}
}

// inside reads the files of the archives in a program by the readers that are named for them. Each must be there.
func inside(program []byte, named map[string]string, found func(string)) error {
	missing := map[string]bool{}
	for pattern := range named {
		missing[pattern] = true
	}
	err := unpacked(program, largestArchive, func(name string, r io.Reader) error {
		for pattern, by := range named {
			if fits, err := path.Match(pattern, name); err != nil {
				return err
			} else if !fits {
				continue
			}
			b, err := io.ReadAll(io.LimitReader(r, largestMember+1))
			switch {
			case err != nil:
				return err
			case len(b) > largestMember:
				return fmt.Errorf("it has more than %d bytes", largestMember)
			}
			readers[by](b, found)
			delete(missing, pattern)
			return nil
		}
		return nil
	})
	if err != nil {
		return err
	}
	for pattern := range missing {
		return fmt.Errorf("no archive in it has %s: the package is laid out anew (vocab.json in the agent's folder)", pattern)
	}
	return nil
}
