package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const web = `{
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {"name": "web"},
  "spec": {
    "replicas": 0,
    "selector": {"matchLabels": {"app": "web"}},
    "template": {
      "metadata": {"labels": {"app": "web"}},
      "spec": {"containers": [{"name": "web", "image": "web:1"}]}
    }
  }
}`

// patchObjects sends each type of patch that there is, then applies as two managers.
func patchObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(deployments)
	if _, err := client.Create(ctx, parse(web), metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.JSONPatchType, `[{"op": "test", "path": "/spec/replicas", "value": 0}, {"op": "add", "path": "/metadata/labels", "value": {"a": "1"}}]`},
		{types.JSONPatchType, `[{"op": "test", "path": "/spec/replicas", "value": 5}]`},
		{types.MergePatchType, `{"metadata": {"labels": {"a": null, "b": "2"}}, "spec": {"paused": true}}`},
		{types.StrategicMergePatchType, `{"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side:1"}]}}}}`},
		{types.StrategicMergePatchType, `{"spec": {"template": {"spec": {"containers": [{"name": "side", "$patch": "delete"}]}}}}`},
	} {
		patched, err := client.Patch(ctx, "web", patch.kind, []byte(patch.body), metav1.PatchOptions{})
		if err != nil {
			cluster.saw("%s: %v", patch.kind, err)
			continue
		}
		cluster.saw("%s: labels %s, spec %s, generation %d", patch.kind, compact(patched.GetLabels()),
			compact(patched.Object["spec"]), patched.GetGeneration())
	}
	_, err := cluster.in(gadgets).Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	cluster.saw("strategic for a custom resource: %v", err)
	return applyObjects(ctx, cluster)
}

func applyObjects(ctx context.Context, cluster *cluster) error {
	client := cluster.in(gadgets)
	apply := func(manager string, size int64, force bool) error {
		options := metav1.ApplyOptions{FieldManager: manager, Force: force}
		applied, err := client.Apply(ctx, "applied", gadget("applied", size), options)
		if err != nil {
			cluster.saw("%s applies %d: %v", manager, size, err)
			return err
		}
		cluster.saw("%s applies %d: size %d, generation %d", manager, size, sizeOf(applied), applied.GetGeneration())
		for _, entry := range applied.GetManagedFields() {
			cluster.saw("  %s %s %s %s", entry.Manager, entry.Operation, entry.Subresource, entry.FieldsV1.Raw)
		}
		return nil
	}
	if err := apply("alice", 5, false); err != nil {
		return err
	}
	if err := apply("bob", 6, false); !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict but %v", err)
	}
	if err := apply("bob", 6, true); err != nil {
		return err
	}
	ready := gadget("applied", 0)
	ready.Object = map[string]any{
		"apiVersion": group + "/v1", "kind": "Gadget",
		"metadata": map[string]any{"name": "applied"}, "status": map[string]any{"ready": true},
	}
	status, err := client.ApplyStatus(ctx, "applied", ready, metav1.ApplyOptions{FieldManager: "carol"})
	if err != nil {
		return err
	}
	cluster.saw("carol applies the status: %s, generation %d", compact(status.Object["status"]), status.GetGeneration())
	return nil
}
