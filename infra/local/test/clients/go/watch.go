package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// watchObjects hears of changes from a version on, through a selector too.
func watchObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	options := metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true}
	all, err := client.Watch(ctx, options)
	if err != nil {
		return err
	}
	defer all.Stop()
	options.LabelSelector = "seen=yes"
	selected, err := client.Watch(ctx, options)
	if err != nil {
		return err
	}
	defer selected.Stop()
	if err := changeWatched(ctx, cluster); err != nil {
		return err
	}
	for name, stream := range map[string]watch.Interface{"all": all, "selected": selected} {
		events, err := untilDeleted(ctx, stream)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		want := "ADDED 1, MODIFIED 2, MODIFIED 2, DELETED 2"
		if name == "selected" {
			want = "ADDED 2, DELETED 2"
		}
		if events != want {
			return fmt.Errorf("watch of %s saw %s instead of %s", name, events, want)
		}
	}
	cluster.saw("all events, and those of the selected")
	return nil
}

func changeWatched(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	if _, err := client.Create(ctx, gadget("watched", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, patch := range []string{
		`{"metadata": {"labels": {"seen": "yes"}}, "spec": {"size": 2}}`,
		`{"metadata": {"labels": {"seen": null}}}`,
	} {
		if _, err := client.Patch(ctx, "watched", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return client.Delete(ctx, "watched", metav1.DeleteOptions{})
}

// untilDeleted tells the types and sizes of the events up to the first deletion.
func untilDeleted(ctx context.Context, stream watch.Interface) (string, error) {
	seen := ""
	for {
		select {
		case <-ctx.Done():
			return seen, fmt.Errorf("only %q was seen: %w", seen, ctx.Err())
		case event, open := <-stream.ResultChan():
			object, isObject := event.Object.(*unstructured.Unstructured)
			if !open || !isObject {
				return seen, fmt.Errorf("ended after %q with %v", seen, event)
			}
			if event.Type == watch.Bookmark {
				continue
			}
			seen += fmt.Sprintf("%s %d", event.Type, sizeOf(object))
			if event.Type == watch.Deleted {
				return seen, nil
			}
			seen += ", "
		}
	}
}
