package sim

import (
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // budgets count by local days
	os.Exit(m.Run())
}
