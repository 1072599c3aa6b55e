package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"nanoclaw/internal/datadir"
	"nanoclaw/internal/doctor"
	"nanoclaw/web"
)

const doctorAbout = `
Looks at the configuration, the data and the machine, and says how to get what is missing. It changes
nothing and calls no model. ok: works. warn: something that the server itself does not need. fail: the
server needs it; the exit code is then 1.`

func (p *program) doctor(ctx context.Context, args []string) error {
	set := p.flags("doctor", "doctor [--json] [--config FILE] [--data DIR]", doctorAbout)
	source := p.source(set)
	asJSON := set.Bool("json", false, "print the checks as one JSON object")
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	report := doctor.Run(ctx, doctor.Options{Source: *source, PageBuilt: web.Built(),
		Owner: func(dir string) (*doctor.Owner, error) {
			owner, err := p.owner(dir)
			return ownerForDoctor(owner), err
		}})
	if ctx.Err() != nil {
		return errStopped
	}
	var err error
	if *asJSON {
		encoder := json.NewEncoder(p.stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(report)
	} else {
		_, err = fmt.Fprint(p.stdout, p.prescription(report))
	}
	if err == nil && !report.OK {
		err = errTold
	}
	return err
}

func ownerForDoctor(owner *datadir.Owner) *doctor.Owner {
	if owner == nil {
		return nil
	}
	return &doctor.Owner{PID: owner.PID, URL: owner.URL}
}

// prescription is a report for people.
func (p *program) prescription(report doctor.Report) string {
	colours := map[doctor.Status]string{doctor.OK: "\x1b[32m", doctor.Warn: "\x1b[33m", doctor.Fail: "\x1b[31m"}
	if _, _, ok := p.terminal(p.stdout); !ok {
		colours = nil
	}
	if _, plain := p.env("NO_COLOR"); plain {
		colours = nil
	}
	names := 0
	count := map[doctor.Status]int{}
	for _, c := range report.Checks {
		names = max(names, len(c.Name))
		count[c.Status]++
	}
	var b strings.Builder
	for _, c := range report.Checks {
		word := fmt.Sprintf("%-4s", c.Status)
		if colour := colours[c.Status]; colour != "" {
			word = colour + word + "\x1b[0m"
		}
		indent := strings.Repeat(" ", names+8)
		fmt.Fprintf(&b, "%s  %-*s  %s\n", word, names, c.Name, strings.ReplaceAll(c.Detail, "\n", "\n"+indent))
		if c.Hint != "" {
			fmt.Fprintf(&b, "%s-> %s\n", indent, c.Hint)
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %d warnings, %d failures\n", count[doctor.OK], count[doctor.Warn], count[doctor.Fail])
	return b.String()
}
