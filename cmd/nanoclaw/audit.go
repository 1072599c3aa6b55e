package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"nanoclaw/internal/app"
	"nanoclaw/internal/store"
)

const auditAbout = `
verify  walks the chain of hashes through all rows of the audit and tells the first break: the row, and what
        differs. It only reads, also while the server runs. Exit code 0: the chain holds; 1: it does not.

The last line names the end of the chain as ROW:HASH. Whoever can write the database file can also make a new
chain: note the end at another place from time to time, and give it as --witness later.`

func (p *program) audit(ctx context.Context, args []string) error {
	set := p.flags("audit", "audit verify [--witness ROW:HASH] [--config FILE] [--data DIR]", auditAbout)
	source := p.source(set)
	witness := set.String("witness", "",
		"an end of the chain that was noted before, `ROW:HASH`: that row must have that hash still")
	if done, err := p.parse(set, args, 1); done || err != nil {
		return err
	}
	if len(set.args) == 0 || set.args[0] != "verify" {
		return usagef("audit: say verify")
	}
	var seen *store.AuditWitness
	if *witness != "" {
		row, hash, ok := strings.Cut(*witness, ":")
		id, err := strconv.ParseInt(row, 10, 64)
		if !ok || err != nil || len(hash) != 64 {
			return usagef("audit verify: --witness is a row's number, a colon and its hash of 64 digits")
		}
		seen = &store.AuditWitness{Row: id, Hash: hash}
	}
	c, _, err := p.load(*source)
	if err != nil {
		return err
	}
	report, err := app.VerifyAudit(ctx, c, seen, slog.New(slog.DiscardHandler))
	if err != nil {
		return stoppedOr(ctx, err)
	}
	return p.showAudit(report)
}

func (p *program) showAudit(report *store.AuditReport) error {
	fmt.Fprintf(p.stdout, "%d rows checked", report.Checked)
	if report.Checked > 0 {
		fmt.Fprintf(p.stdout, " (%d to %d)", report.First, report.Last)
	}
	fmt.Fprintln(p.stdout)
	if report.Removed > 0 {
		fmt.Fprintf(p.stdout, "%d older rows were removed by retention\n", report.Removed)
	}
	if report.Unchained > 0 {
		fmt.Fprintf(p.stdout, "%d rows are older than the chain: nothing protects them\n", report.Unchained)
	}
	if report.Break != nil {
		fmt.Fprintf(p.stdout, "The chain is broken (%s): %s\n", report.Break.Kind, report.Break.Detail)
		return errTold
	}
	fmt.Fprintln(p.stdout, "The chain holds.")
	if report.LastHash != "" {
		fmt.Fprintf(p.stdout, "Its end is %d:%s\n", report.Last, report.LastHash)
	}
	return nil
}
