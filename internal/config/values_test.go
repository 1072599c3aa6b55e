package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

func TestTimesAreWrittenWithOrWithoutUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"60": time.Minute, "1.5": 1500 * time.Millisecond, "0": 0, "60s": time.Minute, "5m": 5 * time.Minute,
		"1h30m": 90 * time.Minute, "7d": 168 * time.Hour, "0.5d": 12 * time.Hour, "30ms": 30 * time.Millisecond,
		" 2s ": 2 * time.Second,
	} {
		if got, err := ParseDuration(text); err != nil || got.Std() != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5 parsecs", "d", "inf", "nan", "1e300", "1e300d", "5mm", "--1"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestSizesAreWrittenWithOrWithoutUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"10": 10, "50KiB": 50 << 10, "10MiB": 10 << 20, "10 MiB": 10 << 20, "1GB": 1e9, "2kb": 2000, "1.5KiB": 1536,
		"3T": 3 << 40, "7B": 7, "0": 0,
	} {
		if got, err := ParseSize(text); err != nil || got.Bytes() != want {
			t.Errorf("%q: got %v, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "10 parsecs", "1.5", "inf", "nan", "1e30", "9999999TiB", "10MiBs"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestWhatTimesAndSizesPrintIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, time.Millisecond, 90 * time.Second, time.Hour, 24 * time.Hour,
		25 * time.Hour, 48 * time.Hour, 365 * 24 * time.Hour, 61 * time.Minute, -time.Second} {
		if got, err := ParseDuration(Duration(d).String()); err != nil || got.Std() != d {
			t.Errorf("%v: %q is read as %v, %v", d, Duration(d).String(), got, err)
		}
	}
	for _, s := range []Size{0, 1, 1000, 1024, 1536, 10 * MiB, 3 * GiB, TiB, -KiB} {
		if got, err := ParseSize(s.String()); err != nil || got != s {
			t.Errorf("%d: %q is read as %d, %v", int64(s), s.String(), int64(got), err)
		}
	}
}

// CF1: no way of printing shows a secret.
func TestASecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const text = "sk-VERYSECRET"
	c := mustParse(t,
		"models: [{id: a, base_url: 'http://x', api_key: sk-VERYSECRET, headers: {X: "+
			"sk-VERYSECRET}}]\ndefault_model: a\n")
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(c.Models)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", c.Models[0].APIKey, "model", c.Models[0])
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", c.Models[0].APIKey, "model", c.Models[0])
	outputs := []string{string(asJSON), string(asYAML), log.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		outputs = append(outputs, fmt.Sprintf(verb, c.Models[0]), fmt.Sprintf(verb, c.Models[0].APIKey),
			fmt.Sprintf(verb, &c.Models[0].APIKey))
	}
	for _, out := range outputs {
		if strings.Contains(out, text) || strings.Contains(strings.ToLower(out), fmt.Sprintf("%x", text)) {
			t.Errorf("shown: %s", out)
		}
	}
	if c.Models[0].APIKey.Reveal() != text || Secret("").String() != "" {
		t.Error("the secret itself is not kept, or an empty one is covered")
	}
}
