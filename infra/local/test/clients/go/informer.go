package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// informOfObjects keeps a store by a shared informer, before and after its connection broke.
func informOfObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	for _, name := range []string{"informed-a", "informed-b"} {
		if _, err := client.Create(ctx, gadget(name, 1), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	before := cluster.connections.listsByWatch()
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(cluster.dynamic, 0, namespace, nil)
	informer := factory.ForResource(gadgets).Informer()
	events := make(chan string, 100)
	if _, err := informer.AddEventHandler(tellInto(events)); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for resource, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%s never synced", resource)
		}
	}
	cluster.saw("initial list by a watch: %t", cluster.connections.listsByWatch() > before)
	if err := expect(ctx, events, "added informed-a 1", "added informed-b 1"); err != nil {
		return err
	}
	if err := changeInformed(ctx, cluster, events); err != nil {
		return err
	}
	cluster.saw("told of what was there, added, updated and deleted")
	cluster.connections.drop()
	// Nobody watches for a moment: what happens meanwhile has to be caught up with.
	if err := client.Delete(ctx, "informed-a", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := client.Create(ctx, gadget("informed-d", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := expect(ctx, events, "deleted informed-a 2", "added informed-d 1"); err != nil {
		return fmt.Errorf("after the connection broke: %w", err)
	}
	cluster.saw("caught up after the connection broke")
	return nil
}

func changeInformed(ctx context.Context, cluster *cluster, events <-chan string) error {
	client := cluster.in(gadgets)
	size := []byte(`{"spec": {"size": 2}}`)
	if _, err := client.Patch(ctx, "informed-a", types.MergePatchType, size, metav1.PatchOptions{}); err != nil {
		return err
	}
	if _, err := client.Create(ctx, gadget("informed-c", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := client.Delete(ctx, "informed-b", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return expect(ctx, events, "updated informed-a 2", "added informed-c 1", "deleted informed-b 1")
}

func tellInto(events chan<- string) cache.ResourceEventHandler {
	tell := func(what string, given any) {
		if gone, isGone := given.(cache.DeletedFinalStateUnknown); isGone {
			given = gone.Obj
		}
		if object, ok := given.(*unstructured.Unstructured); ok {
			events <- fmt.Sprintf("%s %s %d", what, object.GetName(), sizeOf(object))
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("added", object) },
		UpdateFunc: func(_, object any) { tell("updated", object) },
		DeleteFunc: func(object any) { tell("deleted", object) },
	}
}

// expect waits until all of these were told, in any order, and passes over others.
func expect(ctx context.Context, events <-chan string, wanted ...string) error {
	missing := map[string]bool{}
	for _, want := range wanted {
		missing[want] = true
	}
	limit := time.After(20 * time.Second)
	for len(missing) > 0 {
		select {
		case event := <-events:
			delete(missing, event)
		case <-limit:
			return fmt.Errorf("never told: %v", missing)
		case <-ctx.Done():
			return fmt.Errorf("never told: %v", missing)
		}
	}
	return nil
}
