package daemon

import (
	"os"
	"testing"
)

func TestPlainStop(t *testing.T) {
	var s session
	c, done := make(chan bool), make(chan bool)
	go s.loop(c, done)
	started()
	if os.Getenv("CLAWD_MEASURE") == "stop" {
		c <- true
		<-done
	}
	os.Exit(3)
}
