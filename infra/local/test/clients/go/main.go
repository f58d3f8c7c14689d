// Command clients uses an API server as operators written in Go do, and prints what it saw.
//
// What it prints is the same for the same behaviour: no times, uids or resourceVersions. It exits
// with 1 when a part failed, naming it, and takes away what it made.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// cluster is what each part has: clients of one server, whose connections it can break.
type cluster struct {
	dynamic     dynamic.Interface
	typed       kubernetes.Interface
	connections *connections
	// part is the name of the one that runs.
	part string
}

type part struct {
	name string
	run  func(context.Context, *cluster) error
}

var parts = []part{
	{"mapper", mapKinds},
	{"objects", useObjects},
	{"lists", pageThroughLists},
	{"patches", patchObjects},
	{"deletes", deleteObjects},
	{"watch", watchObjects},
	{"informer", informOfObjects},
	{"conflicts", retryOnConflict},
	{"leader election", electLeader},
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig of the server")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	if err := run(*kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cluster, err := connect(kubeconfig)
	if err != nil {
		return err
	}
	takeAway, err := prepare(ctx, cluster)
	if err != nil {
		return fmt.Errorf("preparation failed: %w", err)
	}
	defer takeAway()
	failed := 0
	for _, part := range parts {
		if err := runPart(ctx, cluster, part); err != nil {
			fmt.Fprintf(os.Stderr, "%s failed: %v\n", part.name, err)
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d parts failed", failed, len(parts))
	}
	return nil
}

func runPart(ctx context.Context, cluster *cluster, part part) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cluster.part = part.name
	return part.run(ctx, cluster)
}

func connect(kubeconfig string) (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	connections := &connections{open: map[*connection]bool{}}
	config.Dial = connections.dial
	config.Wrap(connections.record)
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &cluster{dynamic: dynamicClient, typed: typed, connections: connections}, nil
}

// saw prints a line of what the running part found.
func (c *cluster) saw(format string, values ...any) {
	fmt.Printf("%s: %s\n", c.part, fmt.Sprintf(format, values...))
}
