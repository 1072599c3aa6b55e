package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"
)

// Secret is a value that is never printed: every way of formatting or encoding
// it shows "***". Reveal is the one way to its text.
type Secret string

const covered = "***"

// Reveal is the secret itself, for the one place that sends it.
func (s Secret) Reveal() string { return string(s) }

// String covers the value; an empty secret stays empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return covered
}

// GoString covers the value for %#v.
func (s Secret) GoString() string { return s.String() }

// Format covers the value for every verb, %x included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText covers the value in JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue covers the value in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Duration is a time.Duration that is written "60s", "1h30m" or "30d"; a bare
// number, fractions included, is seconds.
type Duration time.Duration

// Std is the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String is a short way to write it in config.yml: "60s", "5m", "1h30m", "30d".
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	const day = Duration(24 * time.Hour)
	if d%day == 0 && d > day {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	if d > 0 && d < Duration(2*time.Minute) && d%Duration(time.Second) == 0 {
		return strconv.FormatInt(int64(d/Duration(time.Second)), 10) + "s"
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes String, so that JSON shows what config.yml would.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

var errDuration = errors.New(
	"is not a time: write seconds as a number, or a unit with it, such as 30s, 5m, 1h30m or 7d")

// ParseDuration reads what config.yml may say: a bare number of seconds, the
// units of time.ParseDuration, and "d" for days of 24 hours. The error does not
// quote the text.
func ParseDuration(text string) (Duration, error) {
	text = strings.TrimSpace(text)
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return durationOf(f, time.Second)
	}
	if n, ok := strings.CutSuffix(text, "d"); ok {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return 0, errDuration
		}
		return durationOf(f, 24*time.Hour)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, errDuration
	}
	return Duration(d), nil
}

func durationOf(n float64, unit time.Duration) (Duration, error) {
	ns := n * float64(unit)
	if math.IsNaN(ns) || math.Abs(ns) > float64(math.MaxInt64/2) {
		return 0, errDuration
	}
	return Duration(math.Round(ns)), nil
}

// Size is a number of bytes that is written "10MiB", "50KiB", "1GB"; a bare number is bytes.
type Size int64

// Binary units of Size.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
	TiB Size = 1 << 40
)

// Bytes is the number of bytes.
func (s Size) Bytes() int64 { return int64(s) }

// String is the shortest way to write it in config.yml: "10MiB", "1500".
func (s Size) String() string {
	for _, u := range []struct {
		unit Size
		name string
	}{{TiB, "TiB"}, {GiB, "GiB"}, {MiB, "MiB"}, {KiB, "KiB"}} {
		if s != 0 && s%u.unit == 0 {
			return strconv.FormatInt(int64(s/u.unit), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText writes String, so that JSON shows what config.yml would.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

var errSize = errors.New("is not a size: write bytes as a number, or a unit with it, such as 50KiB, 10MiB or 1GB")

// sizeUnits by lower-case name: KiB counts in 1024, KB in 1000.
var sizeUnits = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
}

// ParseSize reads what config.yml may say: a bare number of bytes, or a number
// with a unit. The error does not quote the text.
func ParseSize(text string) (Size, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, known := sizeUnits[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	bytes := n * unit
	if !known || err != nil || math.IsNaN(bytes) || math.Abs(bytes) > 1<<62 || bytes != math.Trunc(bytes) {
		return 0, errSize
	}
	return Size(bytes), nil
}
