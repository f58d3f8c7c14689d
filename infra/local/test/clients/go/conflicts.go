package main

import (
	"context"
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

const incrementsEach = 20

// retryOnConflict has two writers count in one object, of which neither may lose a step.
func retryOnConflict(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	if _, err := client.Create(ctx, gadget("counted", 0), metav1.CreateOptions{}); err != nil {
		return err
	}
	var writers sync.WaitGroup
	var conflicts atomic.Int32
	failures := make(chan error, 2)
	// As retry.DefaultRetry, with patience for the worst luck.
	backoff := wait.Backoff{Steps: 200, Duration: retry.DefaultRetry.Duration, Factor: 1, Jitter: 1}
	for range 2 {
		writers.Go(func() {
			for range incrementsEach {
				err := retry.RetryOnConflict(backoff, func() error {
					err := increment(ctx, cluster)
					if apierrors.IsConflict(err) {
						conflicts.Add(1)
					}
					return err
				})
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	writers.Wait()
	select {
	case err := <-failures:
		return err
	default:
	}
	counted, err := client.Get(ctx, "counted", metav1.GetOptions{})
	if err != nil {
		return err
	}
	cluster.saw("counted to %d, conflicts on the way: %t", sizeOf(counted), conflicts.Load() > 0)
	return nil
}

func increment(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	counted, err := client.Get(ctx, "counted", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(counted.Object, sizeOf(counted)+1, "spec", "size"); err != nil {
		return err
	}
	_, err = client.Update(ctx, counted, metav1.UpdateOptions{})
	return err
}
