package main

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// pageThroughLists reads a list page by page while it changes, and by selectors.
func pageThroughLists(ctx context.Context, cluster *cluster) error {
	client := cluster.in(configMaps)
	for at := range 7 {
		object := parse(fmt.Sprintf(
			`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "page-%d", "labels": {"of": "pages", "odd": "%t"}}}`,
			at, at%2 == 1,
		))
		if _, err := client.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	options := metav1.ListOptions{LabelSelector: "of=pages", Limit: 3}
	versions := map[string]bool{}
	for {
		page, err := client.List(ctx, options)
		if err != nil {
			return err
		}
		versions[page.GetResourceVersion()] = true
		cluster.saw("page of %s, %s remain", names(page), remaining(page))
		if options.Continue = page.GetContinue(); options.Continue == "" {
			break
		}
		if err := client.Delete(ctx, "page-6", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	cluster.saw("all pages of one version: %t", len(versions) == 1)
	for _, options := range []metav1.ListOptions{
		{LabelSelector: "of=pages,odd notin (true)"},
		{LabelSelector: "of=pages", FieldSelector: "metadata.name=page-3"},
		{LabelSelector: "of=pages", ResourceVersion: "0"},
	} {
		list, err := client.List(ctx, options)
		if err != nil {
			return err
		}
		cluster.saw("of %q %q: %s", options.LabelSelector, options.FieldSelector, names(list))
	}
	_, err := client.List(ctx, metav1.ListOptions{Continue: "nonsense"})
	cluster.saw("wrong token: %s", apierrors.ReasonForError(err))
	return nil
}

func names(list *unstructured.UnstructuredList) string {
	found := make([]string, 0, len(list.Items))
	for _, item := range list.Items {
		found = append(found, item.GetName())
	}
	return strings.Join(found, " ")
}

// remaining is left out by a server that had to select.
func remaining(list *unstructured.UnstructuredList) string {
	if count := list.GetRemainingItemCount(); count != nil {
		return fmt.Sprint(*count)
	}
	return "unknown"
}
