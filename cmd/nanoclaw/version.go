package main

import (
	"context"
	"fmt"
	"runtime"
)

func (p *program) version(_ context.Context, args []string) error {
	set := p.flags("version", "version", "")
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "nanoclaw %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	return err
}
