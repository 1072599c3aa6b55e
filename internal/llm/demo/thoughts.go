package demo

import (
	"fmt"
	"strings"
)

// thoughts is the short plan that is shown as the model's thinking.
func (p *plan) thoughts() string {
	w := phrasesFor(p.request.chinese)
	var ready, all []string
	begun := false
	for i, s := range p.request.steps {
		if p.states[i] == stateImplicit {
			continue
		}
		all = append(all, fmt.Sprintf("%d. %s", len(all)+1, w.describe(s)))
		switch p.states[i] {
		case stateReady:
			ready = append(ready, fmt.Sprintf("%d. %s", len(all), w.describe(s)))
		case stateDone, stateFailed:
			begun = true
		}
	}
	switch {
	case len(all) == 0:
		return w.thinkTalk
	case len(ready) == 0:
		return w.thinkReport
	case begun:
		return w.thinkNext + "\n" + strings.Join(ready, "\n")
	}
	return w.thinkPlan + "\n" + strings.Join(all, "\n")
}
