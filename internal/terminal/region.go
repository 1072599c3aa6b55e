package terminal

import "time"

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

func (s *Screen) spin() span { return span{cyan, spinner[s.frame%len(spinner)]} }

func (s *Screen) since(t time.Time) span {
	if t.IsZero() {
		return span{}
	}
	return span{dim, Duration(max(0, s.options.Now().Sub(t)).Truncate(100 * time.Millisecond))}
}

// working is what is at work, one line each: thoughts, calls with the agents below
// them; or that the model is awaited.
func (s *Screen) working(columns int) []line {
	var lines []line
	if s.musing != "" {
		mark := line{s.spin(), {dim, " thinking: "}}
		lines = append(lines, append(mark, span{dim, cutFront(oneLine(s.musing), columns-mark.width())}))
	}
	for _, id := range s.state.order {
		if c := s.state.calls[id]; !c.done && c.agent == nil {
			lines = append(lines, s.callLine(c))
			lines = append(lines, s.tree(c)...)
		}
	}
	if len(lines) == 0 && !s.writing {
		word := " working "
		if s.state.waiting {
			word = " waiting for a worker "
		}
		lines = append(lines, line{s.spin(), {dim, word}, s.since(s.begun)})
	}
	return lines
}

// callLine is a call, at work or finished.
func (s *Screen) callLine(c *call) line {
	columns, _ := s.size()
	mark, right := span{green, "✓"}, line{{dim, took(c.Call)}}
	switch {
	case !c.done:
		mark, right = s.spin(), line{s.since(c.started)}
	case !c.Success:
		mark = span{red, "✗"}
	}
	left := line{mark, {bold, " " + oneLine(c.Function.Name)}, {dim, " " + summary(c.Call)}}
	if word := outcome(c.Call); c.done && word != "" {
		look := dim
		if !c.Success {
			look = red
		}
		// The outcome matters more than the arguments: those make room.
		half := line{{look, cut(word, columns/2)}}
		right = append(append(half, span{normal, "  "}), right...)
	} else if !c.done && c.progress != "" {
		right = append(line{{dim, cut(oneLine(c.progress), columns/2)}, {normal, "  "}}, right...)
	}
	return spread(left, right, columns)
}

// tree are the agents that a call asked for, one line each, those below them
// indented. It ends: a call belongs to one agent, and an agent to one call.
func (s *Screen) tree(c *call) []line {
	var lines []line
	agents := s.state.childrenOf(c.ID)
	for i, a := range agents {
		branch, below := "├─ ", "│  "
		if i == len(agents)-1 {
			branch, below = "└─ ", "   "
		}
		lines = append(lines, s.agentLine(a, "  "+branch))
		for _, id := range s.state.order {
			if nested := s.state.calls[id]; nested.agent == a {
				for _, l := range s.tree(nested) {
					lines = append(lines, append(line{{dim, "  " + below}}, l...))
				}
			}
		}
	}
	return lines
}

func (s *Screen) agentLine(a *agent, branch string) line {
	columns, _ := s.size()
	mark, word, right := s.spin(), a.doing, line{s.since(a.started)}
	switch {
	case a.done:
		mark, word = span{green, "✓"}, oneLine(a.answer)
		if !a.success {
			mark = span{red, "✗"}
		} else if a.incomplete {
			mark = span{yellow, "◐"}
		}
		right = line{}
		if !a.started.IsZero() {
			right = line{{dim, Duration(a.finished.Sub(a.started))}}
		}
	case a.started.IsZero():
		mark, word = span{dim, "○"}, "queued"
	case a.working != nil:
		word = oneLine(a.working.Function.Name) + " " + summary(a.working.Call)
	}
	if a.calls > 0 {
		right = append(line{{dim, plural(a.calls, "tool") + "  "}}, right...)
	}
	return spread(line{{dim, branch}, mark, {bold, " " + a.name}, {dim, "  " + word}}, right, columns)
}
