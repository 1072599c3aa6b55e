package main

import (
	"context"
	"fmt"

	"nanoclaw/internal/app"
	"nanoclaw/internal/store"
)

const migrateAbout = `
Copies the SQLite database of this installation to an empty database of PostgreSQL, compares both, and
leaves SQLite's as it is. Without --to the target is database.url of the configuration file, which keeps
the password out of the list of processes. No server may own the data directory. What was interrupted goes
on where it stopped. Projects' files and the configuration stay where they are.`

func (p *program) migrate(ctx context.Context, args []string) error {
	set := p.flags("migrate", "migrate [--to postgres://…] [--config FILE] [--data DIR]", migrateAbout)
	source := p.source(set)
	to := set.String("to", "", "`URL` of an empty PostgreSQL database")
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	c, _, err := p.load(*source)
	if err != nil {
		return err
	}
	if *to == "" {
		*to = c.Database.URL.Reveal()
	}
	if *to == "" {
		return usagef("migrate: say where to: --to postgres://user:password@host:5432/database, or set database.url")
	}
	rows := int64(0)
	err = app.Migrate(ctx, c, *to, func(t store.Transferred) {
		rows += t.Rows
		fmt.Fprintf(p.stdout, "%-20s %9d rows, equal\n", t.Table, t.Rows)
	})
	if err != nil {
		return stoppedOr(ctx, err)
	}
	_, err = fmt.Fprintf(
		p.stdout,
		"%d rows were copied and compared. Set database.url to use the copy; %s stays as it is\n",
		rows,
		c.DatabaseFile(),
	)
	return err
}
