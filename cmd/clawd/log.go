package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/plain"
)

// newLogger opens the log: JSON lines, or text for people on a terminal. file is nil where it is no file's.
func newLogger(c config.Log) (log zerolog.Logger, file *os.File, err error) {
	out := os.Stderr
	if c.File != "" {
		f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
		if errors.Is(err, syscall.ENXIO) {
			err = fmt.Errorf("%s is a socket, or a pipe that nobody reads", c.File)
		}
		if err != nil {
			return zerolog.Nop(), nil, usage(fmt.Errorf("log.file: %w", err))
		}
		out, file = f, f
	}
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil {
		return zerolog.Nop(), file, usage(fmt.Errorf("log.level: %w", err))
	}
	zerolog.TimeFieldFormat = time.RFC3339Nano
	zerolog.TimestampFunc = func() time.Time { return time.Now().UTC() }
	tty := isatty.IsTerminal(out.Fd())
	kept := &keeper{out: out}
	w := plain.JSON(kept)
	if c.Format == "console" || c.Format == "auto" && tty {
		w = console(kept, tty && os.Getenv("NO_COLOR") == "")
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), file, nil
}

// console writes for people. File and branch names are strangers' bytes, so nothing that a
// terminal would act on gets through.
func console(out io.Writer, color bool) io.Writer {
	return zerolog.ConsoleWriter{
		Out: out, NoColor: !color, TimeFormat: time.DateTime, TimeLocation: time.Local,
		FieldsOrder:         []string{"event", "agent", "session", "project", "reason"},
		FormatFieldValue:    value,
		FormatMessage:       value,
		FormatErrFieldValue: value,
	}
}

// value is a value for people; all but texts and numbers come as the bytes of their JSON.
func value(v any) string {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	return tame(fmt.Sprint(v))
}

// tame makes a text fit for people at a terminal: what strangers chose in it does nothing there, and times are
// in their zone.
func tame(s string) string { return plain.Local(plain.Text(s)) }
