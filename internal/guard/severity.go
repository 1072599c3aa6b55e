package guard

// rank orders severities, the worst highest. One that nobody knows ranks worst.
func (s Severity) rank() int {
	switch s {
	case Info:
		return 0
	case Low:
		return 1
	case Medium:
		return 2
	case High:
		return 3
	}
	return 4
}

// asks says whether findings of a severity make a person decide at a level.
func asks(level string, severity Severity) bool {
	switch level {
	case Off:
		return false
	case Auto:
		return severity.rank() >= Low.rank()
	case Smart:
		return severity.rank() >= Medium.rank()
	}
	return true
}
