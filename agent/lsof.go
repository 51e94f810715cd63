package agent

import (
	"bytes"
	"encoding/binary"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What macOS prints and gives is read here, without a build tag, so that it is tested on any system.

// macSpace is where a Mac's processes live: in one namespace, on a machine whose id nobody asks for.
type macSpace struct{}

func (macSpace) Machine() string      { return "" }
func (macSpace) PIDNamespace() string { return MacPIDs }
func (macSpace) InnerPID(pid int) int { return pid }

// openFiles is what lsof tells of one process.
type openFiles struct {
	cwd   string
	files []string // regular files, the program and its libraries among them
	ports []int    // TCP ports that listen on loopback or any address
}

// parseLsof reads what `lsof -nP -p PID -FftnT` prints: a field a line, named by its first letter. p
// begins the process, f a file; the others of a file follow in any order:
//
//	p501
//	fcwd
//	tDIR
//	n/Users/dev/demo
//	f21
//	tIPv4
//	n127.0.0.1:4096
//	TST=LISTEN
func parseLsof(b []byte) openFiles {
	var all openFiles
	var fd, kind, name string
	listens := false
	end := func() {
		switch {
		case name == "":
		case fd == "cwd":
			all.cwd = name
		case kind == "REG":
			all.files = append(all.files, name)
		case listens && (kind == "IPv4" || kind == "IPv6"):
			if port, ok := loopbackPort(name); ok && !slices.Contains(all.ports, port) {
				all.ports = append(all.ports, port)
			}
		}
		kind, name, listens = "", "", false
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		switch value := line[1:]; line[0] {
		case 'p':
			end()
			fd = ""
		case 'f':
			end()
			fd = value
		case 't':
			kind = value
		case 'n':
			name = unescape(value)
		case 'T':
			listens = listens || value == "ST=LISTEN"
		}
	}
	end()
	return all
}

func loopbackPort(address string) (int, bool) {
	host, port, err := net.SplitHostPort(address)
	n, err2 := strconv.ParseUint(port, 10, 16)
	if err != nil || err2 != nil || n == 0 {
		return 0, false
	}
	ip := net.ParseIP(host)
	return int(n), host == "*" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// unescape undoes what lsof does to bytes that it thinks cannot be printed: \n, \\ and \xc3.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out []byte
	for n := 0; n < len(s); n++ {
		if s[n] != '\\' || n+1 == len(s) {
			out = append(out, s[n])
			continue
		}
		if plain := strings.IndexByte(`bfnrt\`, s[n+1]); plain >= 0 {
			out = append(out, "\b\f\n\r\t\\"[plain])
			n++
			continue
		}
		if n+3 < len(s) && s[n+1] == 'x' {
			if v, err := strconv.ParseUint(s[n+2:n+4], 16, 8); err == nil {
				out = append(out, byte(v))
				n += 3
				continue
			}
		}
		out = append(out, s[n])
	}
	return string(out)
}

// cpuTimes are clock ticks by pid; nil: they are not told.
type cpuTimes map[int]uint64

// of gives what a process has used. Where that is not told its age stands for it: a tool that lives counts as one that works, and is never
// stopped for its silence.
func (t cpuTimes) of(p Proc) uint64 {
	if t == nil {
		return uint64(max(0, time.Since(p.Started)) / tick)
	}
	return t[p.PID]
}

const tick = 10 * time.Millisecond

// parsePS reads what `ps -o pid=,time=` prints, a process a line: "  501 123:04.56", and perhaps hours, with the sign of the locale before the
// hundredths. One line that is not understood, and nothing is told: a tool that works must not look idle.
func parsePS(b []byte) cpuTimes {
	all := cpuTimes{}
	for line := range strings.Lines(string(b)) {
		f := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n:.,", r) })
		if len(f) < 4 {
			return nil
		}
		var n []uint64
		for _, digits := range f {
			v, err := strconv.ParseUint(digits, 10, 32)
			if err != nil {
				return nil
			}
			n = append(n, v)
		}
		var seconds uint64
		for _, v := range n[1 : len(n)-1] {
			seconds = seconds*60 + v
		}
		all[int(n[0])] = seconds*uint64(time.Second/tick) + n[len(n)-1]
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// parseProcArgs reads kern.procargs2: the number of arguments in the machine's byte order, the path of
// the program, NULs up to a boundary, the arguments, the environment up to an empty text.
func parseProcArgs(b []byte) (argv, environ []string) {
	if len(b) < 4 {
		return nil, nil
	}
	count := int(binary.NativeEndian.Uint32(b))
	_, rest, ok := bytes.Cut(b[4:], []byte{0})
	if !ok || count < 0 || count > len(b) {
		return nil, nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for len(rest) > 0 {
		text, more, ended := bytes.Cut(rest, []byte{0})
		rest = more
		switch {
		case !ended:
			return argv, environ // cut off: the last one is not whole
		case len(argv) < count:
			argv = append(argv, string(text))
		case len(text) == 0:
			return argv, environ
		default:
			environ = append(environ, string(text))
		}
	}
	return argv, environ
}
