package pgtest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Connection is the way to a server, which a test can cut.
type Connection struct {
	target string
	change func([]byte) []byte // of what the server says

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
	// Refused has something when a connection was refused because the line is cut.
	Refused chan struct{}
}

// Line is an address that leads to the server of another one, and the way there.
func Line(tb testing.TB, address string) (string, *Connection) {
	tb.Helper()
	return lineTo(tb, address, func(data []byte) []byte { return data })
}

// Older is the address of the server as if its version were 8.
func Older(tb testing.TB, address string) string {
	tb.Helper()
	older, _ := lineTo(tb, address, func(data []byte) []byte {
		return bytes.Replace(data, []byte("\x00\x00\x00\x04\x00\x02"), []byte("\x00\x00\x00\x04\x00\x01"), 1)
	})
	return older
}

func lineTo(tb testing.TB, address string, change func([]byte) []byte) (string, *Connection) {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	c := &Connection{target: u.Host, change: change, conns: map[net.Conn]bool{},
		Refused: make(chan struct{}, 1)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { c.serve(conn) })
		}
	})
	tb.Cleanup(func() {
		listener.Close()
		c.Cut()
		wg.Wait()
	})
	return strings.Replace(address, u.Host, listener.Addr().String(), 1), c
}

// Cut ends all connections, and new ones as soon as they are made.
func (c *Connection) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for conn := range c.conns {
		conn.Close()
	}
}

// Restore lets connections through again.
func (c *Connection) Restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = false
}

// keep remembers a connection; false: the line is cut.
func (c *Connection) keep(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cut {
		c.conns[conn] = true
		return true
	}
	select {
	case c.Refused <- struct{}{}:
	default:
	}
	return false
}

func (c *Connection) drop(conn net.Conn) {
	conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, conn)
}

func (c *Connection) serve(client net.Conn) {
	defer c.drop(client)
	if !c.keep(client) {
		return
	}
	server, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer c.drop(server)
	if !c.keep(server) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, client)
		server.Close()
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := server.Read(buffer)
		if n > 0 {
			if _, err := client.Write(c.change(buffer[:n])); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	client.Close()
	server.Close()
	<-done
}
