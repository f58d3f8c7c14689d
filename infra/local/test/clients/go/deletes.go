package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// deleteObjects deletes under preconditions, past a finalizer and by selector.
func deleteObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	object := gadget("last", 1)
	object.SetFinalizers([]string{group + "/held"})
	held, err := client.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	uid, version, wrong := held.GetUID(), held.GetResourceVersion(), types.UID("wrong")
	old := "1"
	for reason, preconditions := range map[string]metav1.Preconditions{
		"another uid":     {UID: &wrong},
		"another version": {UID: &uid, ResourceVersion: &old},
	} {
		err := client.Delete(ctx, "last", metav1.DeleteOptions{Preconditions: &preconditions})
		if !apierrors.IsConflict(err) {
			return fmt.Errorf("%s: no conflict but %v", reason, err)
		}
	}
	cluster.saw("not deleted under another uid or version")
	right := metav1.Preconditions{UID: &uid, ResourceVersion: &version}
	foreground := metav1.DeletePropagationForeground
	if err := client.Delete(ctx, "last", metav1.DeleteOptions{Preconditions: &right, PropagationPolicy: &foreground}); err != nil {
		return err
	}
	deleting, err := client.Get(ctx, "last", metav1.GetOptions{})
	if err != nil {
		return err
	}
	cluster.saw("held: deletion wanted %t, generation %d", deleting.GetDeletionTimestamp() != nil, deleting.GetGeneration())
	deleting.SetFinalizers(nil)
	if _, err := client.Update(ctx, deleting, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = client.Get(ctx, "last", metav1.GetOptions{})
	cluster.saw("let go: %v", err)
	if err := cluster.in(configMaps).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "of=pages"}); err != nil {
		return err
	}
	rest, err := cluster.in(configMaps).List(ctx, metav1.ListOptions{LabelSelector: "of=pages"})
	if err != nil {
		return err
	}
	cluster.saw("left of the collection: %d", len(rest.Items))
	return nil
}
