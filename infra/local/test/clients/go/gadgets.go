package main

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

const (
	namespace = "clients-go"
	group     = "clients-go.example.com"
)

var (
	gadgets     = schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gadgets"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}
)

const gadgetDefinition = `{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.clients-go.example.com"},
  "spec": {
    "group": "clients-go.example.com",
    "scope": "Namespaced",
    "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList", "shortNames": ["gt"]},
    "versions": [{
      "name": "v1",
      "served": true,
      "storage": true,
      "subresources": {"status": {}},
      "schema": {"openAPIV3Schema": {
        "type": "object",
        "properties": {
          "spec": {"type": "object", "properties": {
            "size": {"type": "integer", "minimum": 0, "default": 1},
            "color": {"type": "string"}
          }},
          "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}
        }
      }}
    }]
  }
}`

// prepare makes a namespace and a kind of its own, and answers how to take them away.
func prepare(ctx context.Context, cluster *cluster) (func(), error) {
	definition := parse(gadgetDefinition)
	takeAway := func() {
		late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = cluster.dynamic.Resource(definitions).Delete(late, definition.GetName(), metav1.DeleteOptions{})
		_ = cluster.dynamic.Resource(namespaces).Delete(late, namespace, metav1.DeleteOptions{})
	}
	space := parse(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "` + namespace + `"}}`)
	if _, err := cluster.dynamic.Resource(namespaces).Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if _, err := cluster.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		takeAway()
		return nil, err
	}
	served := func(ctx context.Context) (bool, error) {
		_, err := cluster.in(gadgets).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	}
	if err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 20*time.Second, true, served); err != nil {
		takeAway()
		return nil, err
	}
	return takeAway, nil
}

func (c *cluster) in(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	return c.dynamic.Resource(resource).Namespace(namespace)
}

func gadget(name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1",
		"kind":       "Gadget",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": size},
	}}
}

func sizeOf(object *unstructured.Unstructured) int64 {
	size, _, _ := unstructured.NestedInt64(object.Object, "spec", "size")
	return size
}

// parse reads a manifest of this program, which is right.
func parse(manifest string) *unstructured.Unstructured {
	object := map[string]any{}
	if err := json.Unmarshal([]byte(manifest), &object); err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: object}
}

func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
