package agent

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A Mac's processes have one pid: a process whose inner pid is not known counts as one that may live in a container.
func TestMacSpace(t *testing.T) {
	if inner := (macSpace{}).InnerPID(501); inner != 501 {
		t.Errorf("process 501 has pid %d", inner)
	}
	if space := (macSpace{}).PIDNamespace(); space != MacPIDs {
		t.Errorf("in %q", space)
	}
}

// What an idle tool of a Mac's, such as a server of an agent's tools, has used stays as it is, however old it grows.
func TestParsePS(t *testing.T) {
	old := Proc{PID: 501, Started: time.Now().Add(-time.Hour)}
	for text, want := range map[string]uint64{
		"  501   0:00.04\n":                4,
		"    1 412:07.10\n  501   1:02.30": 6230,
		"501 100:00,07\n":                  600007, // in a locale with a comma
		"  502   0:00.04\n":                0,      // it ended between the two looks
		"  501 2:03:04.05\n":               738405,
	} {
		if got := parsePS([]byte(text)).of(old); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "ps: time: keyword not found\n", "  501   0:00.04\n  502 1-02:03:04.05\n", "  501 -\n"} {
		if got := parsePS([]byte(text)).of(old); got < 360_000 {
			t.Errorf("%q tells nothing for sure: %d", text, got)
		}
	}
}

func TestParseLsof(t *testing.T) {
	const head = "p501\nfcwd\ntDIR\nn/Users/dev/work/demo\nftxt\ntREG\nn/usr/local/bin/node\n"
	for name, c := range map[string]struct {
		text string
		want openFiles
	}{
		"nothing": {"", openFiles{}},
		"a process": {head + "f0\ntCHR\nn/dev/ttys003\nf4\ntKQUEUE\nncount=1, state=0xa\nf12\ntREG\nn/Users/dev/a b.db\nf13\ntunix\nn->0xa5\n",
			openFiles{cwd: "/Users/dev/work/demo", files: []string{"/usr/local/bin/node", "/Users/dev/a b.db"}}},
		"ports": {"p501\nf21\ntIPv4\nn127.0.0.1:4096\nTST=LISTEN\nTQR=0\nTQS=0\nf22\ntIPv4\nn127.0.0.1:4096->127.0.0.1:50123\nTST=ESTABLISHED\nf23\ntIPv6\nTST=LISTEN\nn[::1]:4097\n" +
			"f24\ntIPv4\nn*:4098\nTST=LISTEN\nf25\ntIPv4\nn192.168.1.5:4099\nTST=LISTEN\nf26\ntIPv6\nn*:4098\nTST=LISTEN\nf27\ntIPv4\nn*:*\nf28\ntIPv6\nn[::]:4100\nTST=LISTEN\n",
			openFiles{ports: []int{4096, 4097, 4098, 4100}}},
		"strange bytes":     {`p1` + "\nfcwd\ntDIR\nn" + `/Users/dev/\xc3\xbcber\\x\n.\x` + "\n", openFiles{cwd: "/Users/dev/über\\x\n.\\x"}},
		"a closed folder":   {"p1\nfcwd\ntunknown\nf1\ntREG\nn/a\n", openFiles{files: []string{"/a"}}},
		"cut in the middle": {"p1\nfcwd\ntDIR\nn/a\nf3\ntR", openFiles{cwd: "/a"}},
	} {
		if diff := cmp.Diff(c.want, parseLsof([]byte(c.text)), cmp.AllowUnexported(openFiles{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestParseProcArgs(t *testing.T) {
	raw := func(count uint32, text string) []byte {
		return append(binary.NativeEndian.AppendUint32(nil, count), text...)
	}
	for name, c := range map[string]struct {
		raw           []byte
		argv, environ []string
	}{
		"nothing":             {nil, nil, nil},
		"a process":           {raw(3, "/usr/local/bin/node\x00\x00\x00\x00node\x00/usr/local/bin/gemini\x00-p\x00HOME=/Users/dev\x00TMUX_PANE=%3\x00\x00executable_path=/x\x00"), []string{"node", "/usr/local/bin/gemini", "-p"}, []string{"HOME=/Users/dev", "TMUX_PANE=%3"}},
		"an empty argument":   {raw(3, "/bin/x\x00x\x00\x00y\x00A=b\x00\x00"), []string{"x", "", "y"}, []string{"A=b"}},
		"no environment":      {raw(1, "/bin/x\x00x\x00"), []string{"x"}, nil},
		"cut off":             {raw(1, "/bin/x\x00x\x00A=b\x00TMUX=/tmp/tm"), []string{"x"}, []string{"A=b"}},
		"an impossible count": {raw(1<<31, "/bin/x\x00x\x00"), nil, nil},
		"no path":             {raw(1, "/bin/x"), nil, nil},
	} {
		argv, environ := parseProcArgs(c.raw)
		if diff := cmp.Diff([2][]string{c.argv, c.environ}, [2][]string{argv, environ}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
