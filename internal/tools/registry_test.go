package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func named(name, category string) *Tool {
	return Define(name, "doc", func(context.Context, Call, struct{}) (string, error) { return name, nil }, Effect(Pure),
		Category(category))
}

func names(tools []*Tool) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

// TS2
func TestListIsByCategoryThenName(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	for _, n := range []string{"b/z", "a/y", "b/x", "a/a"} {
		category, name, _ := strings.Cut(n, "/")
		r.Register(named(name, category))
	}
	if got := names(r.List()); got != "a y x z" {
		t.Errorf("list is %q", got)
	}
	if _, found := r.Get("x"); !found {
		t.Error("x is not found")
	}
	if _, found := r.Get("X"); found {
		t.Error("X is found")
	}
}

// TS1
func TestADuplicateNamePanicsNamingBothPlaces(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	r.Register(named("same", "a"))
	said := panicText(func() { r.Register(named("same", "b")) })
	if strings.Count(said, "tools/registry_test.go:") != 2 || !strings.Contains(said, `"same" is registered twice`) {
		t.Errorf("panic says %q", said)
	}
}

// TS7
func TestAGroupIsReplacedAtOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	r.Register(named("own", "a"))
	if err := r.SetGroup("one", []*Tool{named("p", "m"), named("q", "m")}); err != nil {
		t.Fatal(err)
	}
	if err := r.SetGroup("one", []*Tool{named("q", "m"), named("r", "m")}); err != nil {
		t.Fatal(err)
	}
	for group, members := range map[string][]*Tool{
		"two":   {named("s", "m"), named("q", "m")},
		"three": {named("own", "m")},
		"four":  {named("t", "m"), named("t", "m")},
		"five":  {{Name: "incomplete"}},
		"six":   {nil},
		"":      {named("u", "m")},
	} {
		if err := r.SetGroup(group, members); err == nil {
			t.Errorf("group %q is accepted", group)
		}
	}
	if got := names(r.List()); got != "own q r" {
		t.Errorf("list is %q", got)
	}
	if err := r.SetGroup("one", nil); err != nil || names(r.List()) != "own" {
		t.Errorf("after emptying the group: %q, %v", names(r.List()), err)
	}
}

func TestACloneChangesOnItsOwn(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	r.Register(named("a", ""))
	clone := r.Clone()
	clone.Register(named("b", ""))
	r.Register(named("c", ""))
	if names(r.List()) != "a c" || names(clone.List()) != "a b" {
		t.Errorf("original %q, clone %q", names(r.List()), names(clone.List()))
	}
}

func TestTheRegistryIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 20 {
				if err := r.SetGroup(fmt.Sprint("g", i), []*Tool{named(fmt.Sprintf("t%d_%d", i, n), "")}); err != nil {
					t.Error(err)
				}
				r.List()
				r.Get("t0_0")
			}
		})
	}
	wg.Wait()
	if got := len(r.List()); got != 8 {
		t.Errorf("%d tools, want one of each group", got)
	}
}
