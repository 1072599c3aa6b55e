package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"nanoclaw/internal/reexec"
)

// listenInside returns a socket that listens at ProxyAddress in the network of a
// container. The container itself may make no Unix socket to hand one out, so
// another one, which shares nothing but that network, does it and ends: it runs
// this program alone, under the engine's own filter.
func (d *docker) listenInside(ctx context.Context, container string) (net.Listener, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	helper, err := reexec.Args(insideHelper, "connect="+insidePipes+"/s")
	if err != nil {
		return nil, fmt.Errorf("enter the container's network: %w", err)
	}
	dir, err := os.MkdirTemp("", "nanoclaw-proxy-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for a socket: %w", err)
	}
	defer os.RemoveAll(dir) // a directory of the system's temporary ones
	socket, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixpacket"})
	if err != nil {
		return nil, fmt.Errorf("listen for the helper: %w", err)
	}
	defer socket.Close()
	done := make(chan error, 1)
	go func() {
		_, err := d.engine(ctx, append([]string{"run", "--rm", "--label", dockerLabel + "=" + ownerName(), "--network",
			"container:" + container, "--cap-drop", "ALL",
			"--security-opt", "no-new-privileges", "--read-only", "--ipc", "none", "--log-driver", "none", "--pull",
			"never", "--pids-limit", "64", "--memory", "256m",
			"--user", fmt.Sprintf("%d:%d", containerUser(), containerGroup()), "--volume",
			dir + ":" + insidePipes + ":ro",
			"--volume", program + ":/nanoclaw-inside:ro",
			"--entrypoint", "/nanoclaw-inside", d.image}, helper...)...)
		done <- err
		_ = socket.Close() // nobody comes any more
	}()
	connection, err := socket.AcceptUnix()
	if err != nil {
		return nil, fmt.Errorf("enter the container's network: %w", <-done)
	}
	defer connection.Close()
	listener, err := receiveListener(ctx, connection)
	if failure := <-done; err != nil || failure != nil {
		if listener != nil {
			_ = listener.Close()
		}
		return nil, fmt.Errorf("enter the container's network: %w", errors.Join(failure, err))
	}
	return listener, nil
}
