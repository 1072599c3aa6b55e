package terminal

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// script makes the events of a run as the server writes them.
type script struct {
	t     *testing.T
	clock time.Time
	last  Event
	show  func(Event) error
}

var scriptStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newScript(t *testing.T, show func(Event) error) *script {
	return &script{t: t, clock: scriptStart, show: show}
}

func (s *script) now() time.Time { return s.clock }

// event of the root run.
func (s *script) event(kind, payload string, args ...any) { s.of("root", kind, payload, args...) }

func (s *script) of(run, kind, payload string, args ...any) {
	s.t.Helper()
	if payload != "" {
		payload = "," + fmt.Sprintf(payload, args...)
	}
	e, err := Parse(fmt.Appendf(nil, `{"type":%q,"run_id":%q,"root_run_id":"root","agent_path":"main","time":%q%s}`,
		kind, run, s.clock.Format(time.RFC3339Nano), payload))
	if err != nil {
		s.t.Fatalf("%s %s: %v", kind, payload, err)
	}
	s.last = e
	if err := s.show(e); err != nil {
		s.t.Fatal(err)
	}
}

// again shows the newest event once more.
func (s *script) again() {
	if err := s.show(s.last); err != nil {
		s.t.Fatal(err)
	}
}

func (s *script) text(step string, offset int, delta string) {
	s.event("text.delta", `"step_id":%q,"offset":%d,"delta":%s`, step, offset, quote(delta))
}

func (s *script) thinking(step string, offset int, delta string) {
	s.event("thinking.delta", `"step_id":%q,"offset":%d,"delta":%s`, step, offset, quote(delta))
}

func (s *script) call(run, id, name, arguments string) {
	s.of(run, "tool_call.started", `"tool_call":{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, id,
		name, quote(arguments))
}

func (s *script) result(run, id, name, arguments, result, more string) {
	s.of(run, "tool_call.finished", `"tool_call":%s`, record(id, name, arguments, result, more))
}

func record(id, name, arguments, result, more string) string {
	success := json.Valid([]byte(result)) && len(result) > 15 && result[:15] == `{"success":true`
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s},"result":%s,"success":%t%s}`,
		id, name, quote(arguments), quote(result), success, more)
}

func (s *script) agent(kind, id, callID, name, more string) {
	s.of(id, kind, `"run":%s,"task_name":%q%s`, child(id, callID, name, "running", ""), name, more)
}

func child(id, callID, name, status, more string) string {
	return fmt.Sprintf(`{"id":%q,"parent_run_id":"root","parent_call_id":%q,"task_name":%q,"status":%q%s}`, id, callID,
		name, status, more)
}

func (s *script) wait(d time.Duration) { s.clock = s.clock.Add(d) }

func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}
