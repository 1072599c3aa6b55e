package runs

// Pending says whether Next may have an event at once. It can be wrong for a
// moment while stored events are read.
func (w *Watch) Pending() bool { return w.ended || len(w.first) > 0 || w.sub.Pending() }
