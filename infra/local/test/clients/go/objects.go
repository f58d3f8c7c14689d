package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// useObjects creates, reads and updates custom resources, against their rules too.
func useObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	created, err := client.Create(ctx, gadget("one", 3), metav1.CreateOptions{FieldManager: "maker"})
	if err != nil {
		return err
	}
	cluster.saw("created %s of generation %d by %s", created.GetName(), created.GetGeneration(),
		created.GetManagedFields()[0].Manager)
	_, err = client.Create(ctx, gadget("one", 3), metav1.CreateOptions{})
	cluster.saw("again: %v, already exists: %t", err, apierrors.IsAlreadyExists(err))
	_, err = client.Create(ctx, gadget("Two", -1), metav1.CreateOptions{})
	cluster.saw("invalid: %v", err)
	_, err = client.Get(ctx, "none", metav1.GetOptions{})
	cluster.saw("missing: %v, not found: %t", err, apierrors.IsNotFound(err))
	if err := generateName(ctx, cluster); err != nil {
		return err
	}
	return updateObjects(ctx, cluster)
}

func generateName(ctx context.Context, cluster *cluster) error {
	object := gadget("", 0)
	object.SetGenerateName("made-")
	made, err := cluster.in(gadgets).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	cluster.saw("generated a name of %d characters", len(made.GetName()))
	return cluster.in(gadgets).Delete(ctx, made.GetName(), metav1.DeleteOptions{})
}

func updateObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	first, err := client.Get(ctx, "one", metav1.GetOptions{})
	if err != nil {
		return err
	}
	stale := first.DeepCopy()
	_ = unstructured.SetNestedField(first.Object, int64(4), "spec", "size")
	updated, err := client.Update(ctx, first, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	cluster.saw("updated to size %d, generation %d", sizeOf(updated), updated.GetGeneration())
	same, err := client.Update(ctx, updated, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	cluster.saw("unchanged keeps its version: %t", same.GetResourceVersion() == updated.GetResourceVersion())
	_, err = client.Update(ctx, stale, metav1.UpdateOptions{})
	cluster.saw("stale: %v, conflict: %t", err, apierrors.IsConflict(err))
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update was taken")
	}
	_ = unstructured.SetNestedField(same.Object, true, "status", "ready")
	_ = unstructured.SetNestedField(same.Object, int64(9), "spec", "size")
	status, err := client.UpdateStatus(ctx, same, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	cluster.saw("status %s, size %d, generation %d", compact(status.Object["status"]), sizeOf(status), status.GetGeneration())
	trial, err := client.Update(ctx, status, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	cluster.saw("dry run keeps its version: %t", trial.GetResourceVersion() == status.GetResourceVersion())
	return nil
}
