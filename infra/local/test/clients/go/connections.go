package main

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections knows a client's open connections and the requests for initial lists by watch.
type connections struct {
	mutex      sync.Mutex
	open       map[*connection]bool
	watchLists int
}

type connection struct {
	net.Conn
	of *connections
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialed, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	opened := &connection{dialed, c}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.open[opened] = true
	return opened, nil
}

func (c *connection) Close() error {
	c.of.mutex.Lock()
	delete(c.of.open, c)
	c.of.mutex.Unlock()
	return c.Conn.Close()
}

// drop breaks every open connection, as a network that fails does.
func (c *connections) drop() {
	c.mutex.Lock()
	broken := make([]*connection, 0, len(c.open))
	for connection := range c.open {
		broken = append(broken, connection)
	}
	c.mutex.Unlock()
	for _, connection := range broken {
		_ = connection.Close()
	}
}

func (c *connections) record(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if request.URL.Query().Get("sendInitialEvents") == "true" {
			c.mutex.Lock()
			c.watchLists++
			c.mutex.Unlock()
		}
		return next.RoundTrip(request)
	})
}

func (c *connections) listsByWatch() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.watchLists
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
