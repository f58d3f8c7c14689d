package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

// mapKinds finds the resources of kinds, and the kinds of resources, by discovery.
func mapKinds(_ context.Context, cluster *cluster) error {
	discovery := memory.NewMemCacheClient(cluster.typed.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(discovery)
	kinds := []schema.GroupKind{
		{Group: group, Kind: "Gadget"},
		{Kind: "ConfigMap"},
		{Kind: "Namespace"},
		{Group: "apps", Kind: "Deployment"},
		{Group: "networking.k8s.io", Kind: "Ingress"},
		{Group: "coordination.k8s.io", Kind: "Lease"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
	}
	for _, kind := range kinds {
		mapping, err := mapper.RESTMapping(kind)
		if err != nil {
			return err
		}
		cluster.saw("%s is %s, %s", kind, mapping.Resource, mapping.Scope.Name())
	}
	shortcuts := restmapper.NewShortcutExpander(mapper, discovery, nil)
	for _, short := range []string{"gt", "gadget", "cm", "deploy", "ing"} {
		found, err := shortcuts.ResourceFor(schema.GroupVersionResource{Resource: short})
		if err != nil {
			return err
		}
		cluster.saw("%s means %s", short, found)
	}
	_, err := mapper.RESTMapping(schema.GroupKind{Group: group, Kind: "Nothing"})
	cluster.saw("unknown kind: %v", err)
	return nil
}
