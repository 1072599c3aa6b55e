package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// measureStart prints the median time from exec to ready, on a new directory and
// on one that was used before, and the memory of an idle server.
func measureStart(ctx context.Context, binary string) error {
	const times = 11
	var fresh, again []time.Duration
	var idle int64
	for range times {
		dir, err := os.MkdirTemp("", "nanoclaw-bench-")
		if err != nil {
			return err
		}
		for _, list := range []*[]time.Duration{&fresh, &again} {
			s, err := start(ctx, binary, dir, nil)
			if err != nil {
				return err
			}
			*list = append(*list, s.took)
			if len(again) == times {
				time.Sleep(3 * time.Second) // until it is idle
				if idle, err = s.resident(); err != nil {
					return err
				}
			}
			if err := s.stop(); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			return errors.Join(err)
		}
	}
	fmt.Printf("cold start to ready: %s with existing data, %s with none (medians of %d)\n", median(again),
		median(fresh), times)
	fmt.Printf("idle resident memory: %.1f MB\n", float64(idle)/1e6)
	return nil
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2].Round(100 * time.Microsecond)
}
