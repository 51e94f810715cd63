package wrap

import (
	"errors"
	"os"
	"testing"

	"github.com/clawd-project/clawd/internal/peer"
)

// Its screen and its keys are for the daemon alone. A tool whose sandbox lets it reach sockets is not that,
// and is not believed when it says so.
func TestOnlyTheDaemon(t *testing.T) {
	o := newOuter(t)
	o.wrap("usurp", o.dir)
	o.wait("ready>")
	i := o.info()
	reaches := func() bool {
		t.Helper()
		_, _, errS := i.Screen(t.Context())
		errT := i.Type(t.Context(), TypeRequest{Keys: 7, Text: "NO"}) // nobody pressed 7 keys
		if (errS == nil) != errors.Is(errT, ErrPerson) {
			t.Errorf("screen: %v; keys: %v", errS, errT)
		}
		return errS == nil
	}
	if !reaches() {
		t.Error("the daemon is kept out")
	}
	if err := (peer.Daemon{PID: os.Getppid()}).Hold(o.lock); err != nil {
		t.Fatal(err)
	}
	if reaches() {
		t.Error("another process than the daemon is let in")
	}
	if err := (peer.Daemon{PID: os.Getpid()}).Hold(o.lock); err != nil {
		t.Fatal(err)
	}
	o.lock.Close()
	if reaches() {
		t.Error("one that was the daemon is let in")
	}
	o.keys("g")
	if before := o.wait(">"); before != "saw=false" {
		t.Errorf("a program below the wrapper that took the lock: %s", before)
	}
}
