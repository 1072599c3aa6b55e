package store

import "sync/atomic"

// Stats count the store's work since it was opened.
type Stats struct {
	Transactions int64 // write transactions of callers
	Commits      int64 // of the database; one may hold many transactions
	Statements   int64 // reads included, without the begin and end of transactions
}

// Stats returns the present counts.
func (s *Store) Stats() Stats {
	return Stats{s.counts.transactions.Load(), s.counts.commits.Load(), s.counts.statements.Load()}
}

// counts are updated from many goroutines.
type counts struct{ transactions, commits, statements atomic.Int64 }
