package codex

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// What a compressed rollout may become, and how much of it the decoder may hold. Such a rollout is at
// rest, so it is hardly ever read.
const (
	packedMax    = 64 << 20
	packedWindow = 16 << 20
)

// unpacking is held by the one reader of a compressed rollout: many of them at once would add up.
var unpacking sync.Mutex

// refused are compressed rollouts that cannot be read, by path: all of one must be unpacked to see that, so it is
// not done again until the file is another one.
var refused = struct {
	mu  sync.Mutex
	all map[string]refusal
}{all: map[string]refusal{}}

type refusal struct {
	stamp string
	err   error
}

// maxRefused bounds them: files go, and are not asked for again.
const maxRefused = 1000

// packed is a compressed rollout. It is written at once and never appended to, so the only places in it
// are its beginning and its end.
type packed struct {
	path    string
	stamp   string
	anew    string
	f       *os.File // nil: it is at its end
	unpack  *zstd.Decoder
	in      *bufio.Reader
	line    []byte
	off     int64
	skipped int
}

func openPacked(path, pos string) (jsonl.Lines, error) {
	f, err := agent.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	p := &packed{path: path, stamp: "z:" + agent.Stamp(fi)}
	switch pos {
	case "":
	case p.stamp:
		return p, f.Close()
	default:
		p.anew = "the compressed file is another one"
	}
	refused.mu.Lock()
	was := refused.all[path]
	refused.mu.Unlock()
	if was.stamp == p.stamp {
		f.Close()
		return nil, was.err
	}
	unpacking.Lock()
	p.unpack, err = zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(packedWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		unpacking.Unlock()
		return nil, errors.Join(fmt.Errorf("%q: %w", path, err), f.Close())
	}
	p.f, p.in = f, bufio.NewReaderSize(p.unpack, 64<<10)
	return p, nil
}

// Next gives the next line; one that is too long is passed over.
func (p *packed) Next(ctx context.Context) ([]byte, int64, error) {
	if p.f == nil {
		return nil, 0, io.EOF
	}
	for {
		off := p.off
		p.line = p.line[:0]
		for {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			piece, err := p.in.ReadSlice('\n')
			if p.off += int64(len(piece)); p.off > packedMax {
				return nil, 0, p.refuse(fmt.Errorf("%q: it holds more than %d MB, which are not read", p.path, packedMax>>20))
			}
			if len(p.line) <= tail.MaxLine {
				p.line = append(p.line, piece...)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				if errors.Is(err, io.EOF) {
					return nil, 0, io.EOF
				}
				return nil, 0, p.refuse(fmt.Errorf("%q: %w", p.path, err))
			}
		}
		if len(p.line) <= tail.MaxLine+1 {
			return p.line[:len(p.line)-1], off, nil
		}
		p.skipped++
	}
}

// refuse remembers an error that lies in what the file holds.
func (p *packed) refuse(err error) error {
	if errors.As(err, new(*fs.PathError)) { // of the disk
		return err
	}
	refused.mu.Lock()
	defer refused.mu.Unlock()
	if len(refused.all) >= maxRefused {
		clear(refused.all)
	}
	refused.all[p.path] = refusal{p.stamp, err}
	return err
}

// Close lets the next reader in.
func (p *packed) Close() error {
	if p.f == nil {
		return nil
	}
	p.unpack.Close()
	err := p.f.Close()
	p.f = nil
	unpacking.Unlock()
	return err
}

func (p *packed) Cursor() string { return p.stamp }
func (p *packed) Offset() int64  { return p.off }
func (p *packed) Skipped() int   { return p.skipped }
func (p *packed) Anew() string   { return p.anew }

func lastPacked(ctx context.Context, s detect.Session) (last string, err error) {
	r, err := openPacked(s.Path, "")
	if err != nil {
		return "", err
	}
	defer r.Close()
	err = jsonl.Each(ctx, r, jsonl.All, func(line []byte, _ int64) bool {
		if text := promptIn(line, s.ID); text != "" {
			last = strings.Clone(text)
		}
		return true
	})
	if err != nil {
		return "", err
	}
	return last, nil
}
