// Command webhook prints for manifests on stdin what Knative's admission webhooks would: one line for each
// refusal, and exit code 1 if there is one.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	sources "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/pkg/apis"
	serving "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/yaml"
)

type admitted interface {
	apis.Defaultable
	apis.Validatable
}

// The kinds that are admitted here, as apiVersion/kind.
var kinds = map[string]func() admitted{
	"serving.knative.dev/v1/Service":         func() admitted { return &serving.Service{} },
	"sources.knative.dev/v1/ApiServerSource": func() admitted { return &sources.ApiServerSource{} },
	"sources.knative.dev/v1/PingSource":      func() admitted { return &sources.PingSource{} },
}

func main() {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	code := 0
	for {
		manifest, err := reader.Read()
		if errors.Is(err, io.EOF) {
			os.Exit(code)
		}
		if err == nil {
			err = admit(manifest)
		}
		if err != nil {
			fmt.Println(err)
			code = 1
		}
	}
}

func admit(manifest []byte) error {
	var meta struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(manifest, &meta); err != nil {
		return err
	}
	create, ok := kinds[meta.APIVersion+"/"+meta.Kind]
	if !ok {
		return fmt.Errorf("%s/%s is not a kind of Knative", meta.APIVersion, meta.Kind)
	}
	object := create()
	if err := yaml.UnmarshalStrict(manifest, object); err != nil {
		return err
	}
	// A cluster's own defaults and features, as they are after an installation.
	ctx := context.Background()
	object.SetDefaults(apis.WithinCreate(ctx))
	if err := object.Validate(apis.WithinCreate(ctx)); err != nil {
		return fmt.Errorf("%s: %w", meta.Kind, err)
	}
	return nil
}
