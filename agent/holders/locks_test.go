package holders

import "testing"

// TestLockTable: one that waits for a lock does not hold it, and one that reads does not own it.
func TestLockTable(t *testing.T) {
	got := parseLocks([]byte("1: FLOCK  ADVISORY  WRITE 12804 fe:0a:9996462 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 7 fe:0a:9996462 0 EOF\n" +
		"2: FLOCK  ADVISORY  READ 8 fe:0a:9996462 0 EOF\n3: LEASE  ACTIVE    READ 8\n"))
	if len(got) != 1 || got[0] != (fileLock{12804, 0xfe, 0x0a, 9996462}) {
		t.Errorf("%+v", got)
	}
}
