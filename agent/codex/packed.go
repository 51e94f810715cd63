package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// packedMax bounds what a compressed rollout may become in memory. Such a rollout is at rest, so
// it is hardly ever read.
const packedMax = 64 << 20

// packed is a compressed rollout, whole. It is written at once and never appended to, so the only
// places in it are its beginning and its end.
type packed struct {
	stamp   string
	anew    string
	rest    []byte
	off     int64
	skipped int
}

func openPacked(path, pos string) (lines, error) {
	f, err := agent.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p := &packed{stamp: "z:" + stamp(fi)}
	switch pos {
	case "":
	case p.stamp:
		return p, nil
	default:
		p.anew = "the compressed file is another one"
	}
	p.rest, err = unpack(f)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return p, nil
}

func unpack(f *os.File) ([]byte, error) {
	d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(packedMax), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	b, err := io.ReadAll(io.LimitReader(d, packedMax+1))
	if err == nil && len(b) > packedMax {
		err = errors.New("it holds more than " + fmt.Sprint(packedMax>>20) + " MB, which are not read")
	}
	return b, err
}

func (p *packed) Next() ([]byte, int64, error) {
	for {
		line, rest, ok := bytes.Cut(p.rest, []byte("\n"))
		if !ok {
			return nil, 0, io.EOF
		}
		off := p.off
		p.rest, p.off = rest, p.off+int64(len(line))+1
		if len(line) <= tail.MaxLine {
			return line, off, nil
		}
		p.skipped++
	}
}

func (p *packed) Cursor() string { return p.stamp }
func (p *packed) Offset() int64  { return p.off }
func (p *packed) Skipped() int   { return p.skipped }
func (p *packed) Anew() string   { return p.anew }
func (p *packed) Close() error   { return nil }

func lastPacked(ctx context.Context, s detect.Session) (string, error) {
	r, err := openPacked(s.Path, "")
	if err != nil {
		return "", err
	}
	last := ""
	for ctx.Err() == nil {
		line, _, err := r.Next()
		if err != nil {
			return last, nil //nolint:nilerr // the only error is the end
		}
		if text := promptIn(line, s.ID); text != "" {
			last = strings.Clone(text)
		}
	}
	return "", ctx.Err()
}

// stamp names a state of a file by its size, its time of change and its inode.
func stamp(fi os.FileInfo) string {
	var inode uint64
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	return fmt.Sprintf("%d:%d:%d", fi.Size(), fi.ModTime().UnixNano(), inode)
}
