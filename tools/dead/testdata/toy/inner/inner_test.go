package inner

import "testing"

func Test(t *testing.T) {
	ForTests()
	_ = other + Two
}
