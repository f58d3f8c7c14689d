// Command adapter runs an ApiServerSource, whose manifest is on stdin, as Knative's controller would deploy
// it: in the environment that the controller makes, with the cluster of KUBECONFIG and the sink of SINK.
package main

import (
	"io"
	"log"
	"os"

	filtered "knative.dev/pkg/client/injection/kube/informers/factory/filtered"
	"knative.dev/pkg/signals"
	"sigs.k8s.io/yaml"

	"knative.dev/eventing/pkg/adapter/apiserver"
	"knative.dev/eventing/pkg/adapter/v2"
	sources "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/eventing/pkg/auth"
	"knative.dev/eventing/pkg/eventingtls"
	"knative.dev/eventing/pkg/reconciler/apiserversource/resources"
	"knative.dev/eventing/pkg/reconciler/source"
)

func main() {
	if err := setEnvironment(); err != nil {
		log.Fatal(err)
	}
	ctx := adapter.WithInjectorEnabled(signals.NewContext())
	ctx = filtered.WithSelectors(ctx, auth.OIDCLabelSelector, eventingtls.TrustBundleLabelSelector)
	adapter.MainWithContext(ctx, "apiserversource", apiserver.NewEnvConfig, apiserver.NewAdapter)
}

func setEnvironment() error {
	manifest, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	object := &sources.ApiServerSource{}
	if err := yaml.UnmarshalStrict(manifest, object); err != nil {
		return err
	}
	selector := object.Spec.NamespaceSelector
	namespaces := []string{object.Namespace}
	if selector != nil && len(selector.MatchExpressions) > 0 {
		namespaces = selector.MatchExpressions[0].Values
	}
	deployment, err := resources.MakeReceiveAdapter(&resources.ReceiveAdapterArgs{
		Source:        object,
		SinkURI:       os.Getenv("SINK"),
		Configs:       &source.EmptyVarsGenerator{},
		Namespaces:    namespaces,
		AllNamespaces: selector != nil && len(selector.MatchExpressions) == 0,
	})
	if err != nil {
		return err
	}
	for _, one := range deployment.Spec.Template.Spec.Containers[0].Env {
		os.Setenv(one.Name, one.Value)
	}
	return os.Setenv("NAMESPACE", object.Namespace)
}
