package store

import "sync/atomic"

// Stats count the store's work since it was opened.
type Stats struct {
	Transactions int64 // write transactions of callers
	Commits      int64 // of the database; one may hold many transactions
	Statements   int64 // reads included, without the begin and end of transactions
	Repeats      int64 // of transactions that the database gave up because of others
}

// Stats returns the present counts.
func (s *Store) Stats() Stats {
	return Stats{s.counts.transactions.Load(), s.counts.commits.Load(), s.counts.statements.Load(),
		s.counts.repeats.Load()}
}

// counts are updated from many goroutines.
type counts struct{ transactions, commits, statements, repeats atomic.Int64 }
