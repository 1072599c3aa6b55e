package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A socket belongs to the network it was made in. So a helper inside makes one
// that listens and hands it out: the server answers what connects to it there,
// and no program has to stay inside for that. The processes of the sandbox get
// neither a Unix socket nor a descriptor of the server.

// handoverTimeout is how long the helper may take.
const handoverTimeout = 20 * time.Second

// newHandover makes the two ends over which a socket is handed out.
func newHandover() (own *net.UnixConn, theirs *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	theirs = os.NewFile(uintptr(ends[1]), "handover")
	file := os.NewFile(uintptr(ends[0]), "handover")
	defer file.Close() // FileConn has its own copy
	connection, err := net.FileConn(file)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	return connection.(*net.UnixConn), theirs, nil
}

// receiveListener waits for the socket of the helper. The end of the helper ends
// the wait too: nobody else has the other end.
func receiveListener(ctx context.Context, from *net.UnixConn) (net.Listener, error) {
	stop := context.AfterFunc(ctx, func() { _ = from.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := from.SetReadDeadline(time.Now().Add(handoverTimeout)); err != nil {
		return nil, err
	}
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := from.ReadMsgUnix(make([]byte, 1), control)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoListener, err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return nil, errNoListener
	}
	sockets, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(sockets) != 1 {
		return nil, errNoListener
	}
	unix.CloseOnExec(sockets[0])
	file := os.NewFile(uintptr(sockets[0]), "listener")
	defer file.Close() // FileListener has its own copy
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoListener, err)
	}
	return listener, nil
}

// handOut makes a socket that listens at ProxyAddress and sends it.
func handOut(to int) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make the proxy's socket: %w", err)
	}
	defer unix.Close(socket)
	address, err := net.ResolveTCPAddr("tcp4", ProxyAddress)
	if err != nil {
		return err
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())}); err != nil {
		return fmt.Errorf("bind the proxy's socket: %w", err)
	}
	if err := unix.Listen(socket, 128); err != nil {
		return fmt.Errorf("listen at the proxy's socket: %w", err)
	}
	if err := unix.Sendmsg(to, []byte{0}, unix.UnixRights(socket), nil, 0); err != nil {
		return fmt.Errorf("hand out the proxy's socket: %w", err)
	}
	return nil
}
