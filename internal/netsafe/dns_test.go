package netsafe

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// zone is a name server on loopback. Each look-up of a name takes the next of
// its answers; the last one stays.
type zone struct {
	mu      sync.Mutex
	answers map[string][][]string
	asked   map[string]int // look-ups of A records
}

// resolver starts the server and returns what asks it.
func (z *zone) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	z.asked = map[string]int{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, ok := z.reply(buffer[:n]); ok {
				_, _ = socket.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() { socket.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

func (z *zone) reply(query []byte) ([]byte, bool) {
	var message dnsmessage.Message
	if message.Unpack(query) != nil || len(message.Questions) != 1 {
		return nil, false
	}
	question := message.Questions[0]
	name := strings.TrimSuffix(strings.ToLower(question.Name.String()), ".")
	message.Response, message.Authoritative, message.Additionals = true, true, nil
	addresses, known := z.next(name, question.Type)
	if !known {
		message.RCode = dnsmessage.RCodeNameError
	}
	header := dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}
	for _, text := range addresses {
		address := netip.MustParseAddr(text)
		switch {
		case address.Is4() && question.Type == dnsmessage.TypeA:
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header,
				Body: &dnsmessage.AResource{A: address.As4()}})
		case address.Is6() && question.Type == dnsmessage.TypeAAAA:
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header,
				Body: &dnsmessage.AAAAResource{AAAA: address.As16()}})
		}
	}
	packed, err := message.Pack()
	return packed, err == nil
}

func (z *zone) next(name string, kind dnsmessage.Type) ([]string, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	answers, known := z.answers[name]
	if !known {
		return nil, false
	}
	turn := min(z.asked[name], len(answers)-1)
	if kind == dnsmessage.TypeA {
		z.asked[name]++
	}
	return answers[turn], true
}
