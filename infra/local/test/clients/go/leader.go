package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// electLeader has two candidates; the first leads, renews, steps down, and the second follows.
func electLeader(ctx context.Context, cluster *cluster) error {
	led := make(chan string, 2)
	firstContext, stepDown := context.WithCancel(ctx)
	defer stepDown()
	go campaign(firstContext, cluster, "first", led)
	if leader, err := next(ctx, led); err != nil || leader != "first" {
		return fmt.Errorf("%q leads: %w", leader, err)
	}
	secondContext, stop := context.WithCancel(ctx)
	defer stop()
	go campaign(secondContext, cluster, "second", led)
	if err := renewals(ctx, cluster); err != nil {
		return err
	}
	select {
	case leader := <-led:
		return fmt.Errorf("%s leads beside the first", leader)
	default:
	}
	stepDown()
	leader, err := next(ctx, led)
	if err != nil || leader != "second" {
		return fmt.Errorf("%q leads after the first: %w", leader, err)
	}
	lease, err := cluster.typed.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	cluster.saw("the first led and renewed, then %s", *lease.Spec.HolderIdentity)
	return nil
}

func campaign(ctx context.Context, cluster *cluster, candidate string, led chan<- string) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client:     cluster.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: candidate},
		},
		ReleaseOnCancel: true,
		LeaseDuration:   3 * time.Second,
		RenewDeadline:   2 * time.Second,
		RetryPeriod:     200 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led <- candidate },
			OnStoppedLeading: func() {},
		},
	})
}

// renewals waits until the lease was renewed three times.
func renewals(ctx context.Context, cluster *cluster) error {
	seen := map[string]bool{}
	for len(seen) < 4 {
		lease, err := cluster.typed.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
		if err != nil {
			return err
		}
		seen[lease.Spec.RenewTime.String()] = true
		select {
		case <-ctx.Done():
			return fmt.Errorf("renewed %d times: %w", len(seen)-1, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

func next(ctx context.Context, led <-chan string) (string, error) {
	select {
	case leader := <-led:
		return leader, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
