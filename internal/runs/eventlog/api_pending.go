package eventlog

// Pending says whether Next may have an event at once: one is queued, or stored
// ones were not all read yet.
func (s *Subscription) Pending() bool { return s.queued() > 0 || !s.Live() }
