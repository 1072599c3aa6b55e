package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rules is a key's check tag, read.
type rules struct {
	min, max *float64 // in the unit of the type: nanoseconds, bytes
	minText  string   // as written
	maxText  string
	zero     bool
	oneOf    []string
	keys     []string
	keyName  bool
	required bool
	formats  []string // url, origin, hostport, host, glob, regexp, name, natsurls, natsprefix
}

// parseRules panics on a tag that it does not understand: a mistake in the code.
func parseRules(tag string, t reflect.Type) rules {
	var r rules
	for rule := range strings.SplitSeq(tag, ",") {
		name, arg, _ := strings.Cut(rule, "=")
		switch name {
		case "":
		case "min":
			r.min, r.minText = bound(arg, t), arg
		case "max":
			r.max, r.maxText = bound(arg, t), arg
		case "zero":
			r.zero = true
		case "oneof":
			r.oneOf = strings.Split(arg, "|")
		case "keys":
			if arg == "name" {
				r.keyName = true
			} else {
				r.keys = strings.Split(arg, "|")
			}
		case "required":
			r.required = true
		default:
			if formats[name] == nil {
				panic("config: unknown rule in a check tag: " + rule)
			}
			r.formats = append(r.formats, name)
		}
	}
	return r
}

func bound(text string, t reflect.Type) *float64 {
	for t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var n float64
	var err error
	switch t {
	case durationType:
		var d Duration
		d, err = ParseDuration(text)
		n = float64(d)
	case sizeType:
		var s Size
		s, err = ParseSize(text)
		n = float64(s)
	default:
		n, err = strconv.ParseFloat(text, 64)
	}
	if err != nil {
		panic("config: unreadable bound in a check tag: " + text)
	}
	return &n
}

// check is what is wrong with a single value; nil is nothing. show is how the
// value may be quoted, "" where it may not.
func (r rules) check(v reflect.Value, show string) error {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return r.checkNumber(float64(v.Int()), show)
	case reflect.Float64:
		return r.checkNumber(v.Float(), show)
	case reflect.String:
		return r.checkText(v.String(), show)
	default:
		return nil
	}
}

func (r rules) checkNumber(n float64, show string) error {
	if r.zero && n == 0 {
		return nil
	}
	if (r.min == nil || n >= *r.min) && (r.max == nil || n <= *r.max) {
		return nil
	}
	if show != "" {
		show += " "
	}
	return fmt.Errorf("%sis out of range: give %s", show, r.span())
}

const notNegative = "0 or more"

// span is the range in words: "1 to 64", "at least 1s, or 0".
func (r rules) span() string {
	var s string
	switch {
	case r.min != nil && r.max != nil:
		s = r.minText + " to " + r.maxText
	case r.min != nil && *r.min == 0:
		s = notNegative
	case r.min != nil:
		s = "at least " + r.minText
	case r.max != nil:
		s = "at most " + r.maxText
	}
	if r.zero {
		s += ", or 0"
	}
	return s
}

func (r rules) checkText(text, show string) error {
	quote := "the value"
	if show != "" {
		quote = strconv.Quote(show)
	}
	if r.oneOf != nil && !slices.Contains(r.oneOf, text) {
		return fmt.Errorf("%s is not possible: use %s", quote, orList(r.oneOf))
	}
	if text == "" {
		if r.required {
			return errors.New("must not be empty")
		}
		return nil
	}
	for _, format := range r.formats {
		if err := formats[format](text, quote); err != nil {
			return err
		}
	}
	return nil
}

func orList(words []string) string {
	shown := make([]string, 0, len(words))
	for _, w := range words {
		if w == "" {
			w = `""`
		}
		shown = append(shown, w)
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return strings.Join(shown[:len(shown)-1], ", ") + " or " + shown[len(shown)-1]
}

var (
	namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
)

// formats say what is wrong with a text of their kind. They never pass on the error of a
// parser: those quote the text.
var formats = map[string]func(text, quote string) error{
	"url": func(text, _ string) error {
		if !isWebAddress(text) {
			return errors.New("is not a web address: write http:// or https:// and a host")
		}
		return nil
	},
	"origin": func(text, quote string) error {
		if u, err := url.Parse(text); err != nil || !isWebAddress(text) ||
			u.Scheme+"://"+u.Host != strings.ToLower(text) {
			return fmt.Errorf("%s is not an origin: write http:// or https://, a host in small letters and perhaps a "+
				"port, with nothing behind them", quote)
		}
		return nil
	},
	"hostport":   checkHostPort,
	"natsurls":   checkNATSURLs,
	"natsprefix": checkNATSPrefix,
	"host": func(text, quote string) error {
		if !isHost(text) {
			return fmt.Errorf("%s is not a host: write host or host:port, without http://", quote)
		}
		return nil
	},
	"network": func(text, quote string) error {
		_, err := netip.ParsePrefix(text)
		if _, address := netip.ParseAddr(text); err != nil && address != nil {
			return fmt.Errorf("%s is neither an address nor a network: write 10.0.0.1 or 10.0.0.0/8", quote)
		}
		return nil
	},
	"glob": func(text, quote string) error {
		if !doublestar.ValidatePattern(text) {
			return fmt.Errorf("%s is not a valid glob: look for a [ or { that is not closed", quote)
		}
		return nil
	},
	"regexp": func(text, _ string) error {
		_, err := syntax.Parse(text, syntax.Perl)
		if e := (*syntax.Error)(nil); errors.As(err, &e) {
			return fmt.Errorf("is not a valid regular expression (RE2 syntax): %s", e.Code)
		}
		return err
	},
	"name": func(text, quote string) error {
		if !namePattern.MatchString(text) {
			return fmt.Errorf("%s is not a usable name: letters, digits, dots, dashes and underscores, at most 64",
				quote)
		}
		return nil
	},
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func checkHostPort(text, quote string) error {
	host, port, err := net.SplitHostPort(text)
	_, portErr := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || portErr != nil:
		return fmt.Errorf("%s is not an address: write host:port, such as 127.0.0.1:8787 or [::1]:8787", quote)
	case host != "" && net.ParseIP(host) == nil && !hostPattern.MatchString(host):
		return fmt.Errorf("%s has no usable host before the port", quote)
	}
	return nil
}

// isHost accepts a name, an address, "*", "*.name", each with or without a port.
func isHost(text string) bool {
	if text == "*" || net.ParseIP(strings.Trim(text, "[]")) != nil {
		return true
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return hostPattern.MatchString(text)
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil && (host == "*" || net.ParseIP(host) != nil || hostPattern.MatchString(host))
}
