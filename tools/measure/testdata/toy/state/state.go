package state

type Store struct{ n int }

func (s *Store) Put(n int) {
	s.n = n
}
