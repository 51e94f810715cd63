//go:build !linux && !darwin

package agent

// NewProcs knows no process on this system, so every holder is unknown and clawd stands down.
func NewProcs() Procs { return noProcs{} }

type noProcs struct{}

func (noProcs) Boot() string          { return "" }
func (noProcs) PIDNamespace() string  { return "" }
func (noProcs) InnerPID(int) int      { return 0 }
func (noProcs) Get(int) (Proc, bool)  { return Proc{}, false }
func (noProcs) List() ([]Proc, error) { return nil, ErrNoProcs }
func (noProcs) Argv(int) []string     { return nil }
func (noProcs) Cwd(int) string        { return "" }
func (noProcs) Environ(int) []string  { return nil }
func (noProcs) Opens(int) []string    { return nil }
func (noProcs) Listens(int) []int     { return nil }
