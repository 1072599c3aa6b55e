package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/store"
)

// storeCollector shows what the database has done since it was opened.
type storeCollector struct {
	read                              func() store.Stats
	transactions, commits, statements *prometheus.Desc
}

func newStoreCollector(read func() store.Stats) *storeCollector {
	counter := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &storeCollector{
		read:         read,
		transactions: counter("nanoclaw_store_transactions_total", "Write transactions of the server's parts."),
		commits: counter("nanoclaw_store_commits_total",
			"Commits of the database; one may hold several transactions."),
		statements: counter("nanoclaw_store_statements_total", "SQL statements that read or write rows."),
	}
}

func (c *storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{c.transactions, c.commits, c.statements} {
		out <- desc
	}
}

func (c *storeCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.read()
	for desc, value := range map[*prometheus.Desc]int64{
		c.transactions: stats.Transactions, c.commits: stats.Commits, c.statements: stats.Statements,
	} {
		out <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(value))
	}
}
