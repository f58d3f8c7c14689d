// Does the bench's job with controller-runtime: a Site's Deployment and Service, and its Ready condition.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var version = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}

// Marks the operator's own objects, so that its cache holds nothing else.
const ownedLabel = "bench.example.com/site"

type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		ImageTag string `json:"imageTag"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64              `json:"observedGeneration,omitempty"`
		Conditions         []metav1.Condition `json:"conditions,omitempty"`
	} `json:"status,omitempty"`
}

func (in *Site) DeepCopyObject() runtime.Object {
	out := *in
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	return &out
}

type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

func (in *SiteList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]Site, len(in.Items))
	for at := range in.Items {
		out.Items[at] = *in.Items[at].DeepCopyObject().(*Site)
	}
	return &out
}

type reconciler struct {
	client.Client
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var site Site
	if err := r.Get(ctx, request.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	deployment, err := r.deployment(ctx, &site)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.service(ctx, &site); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.status(ctx, &site, deployment)
}

func named(site *Site) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}
}

func (r *reconciler) deployment(ctx context.Context, site *Site) (*appsv1.Deployment, error) {
	selected := map[string]string{"site": site.Name}
	deployment := &appsv1.Deployment{ObjectMeta: named(site)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		mark(&deployment.ObjectMeta, site)
		deployment.Spec.Replicas = ptr.To[int32](0)
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: selected}
		deployment.Spec.Template.Labels = selected
		// Compares only the desired fields, so that server defaults are no difference.
		containers := &deployment.Spec.Template.Spec.Containers
		if len(*containers) != 1 {
			*containers = []corev1.Container{{}}
		}
		container := &(*containers)[0]
		container.Name = "nginx"
		container.Image = "nginx:" + site.Spec.ImageTag
		container.Ports = []corev1.ContainerPort{{ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
		return controllerutil.SetControllerReference(site, deployment, r.Scheme())
	})
	return deployment, err
}

func (r *reconciler) service(ctx context.Context, site *Site) error {
	service := &corev1.Service{ObjectMeta: named(site)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		mark(&service.ObjectMeta, site)
		service.Spec.Selector = map[string]string{"site": site.Name}
		service.Spec.Ports = []corev1.ServicePort{
			{Port: 80, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(80)},
		}
		return controllerutil.SetControllerReference(site, service, r.Scheme())
	})
	return err
}

func mark(object *metav1.ObjectMeta, site *Site) {
	if object.Labels == nil {
		object.Labels = map[string]string{}
	}
	object.Labels[ownedLabel] = site.Name
}

func (r *reconciler) status(ctx context.Context, site *Site, deployment *appsv1.Deployment) error {
	condition := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "Progressing",
		ObservedGeneration: site.Generation,
	}
	if deployment.Status.ObservedGeneration == deployment.Generation && deployment.Generation > 0 {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Ready"
	}
	// Tuned: writes no status before the Deployment controller has seen the object.
	if condition.Status == metav1.ConditionFalse && len(site.Status.Conditions) == 0 {
		return nil
	}
	before := site.DeepCopyObject().(*Site)
	site.Status.ObservedGeneration = site.Generation
	meta.SetStatusCondition(&site.Status.Conditions, condition)
	if equality.Semantic.DeepEqual(before.Status, site.Status) {
		return nil
	}
	return r.Status().Patch(ctx, site, client.MergeFrom(before))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	// Logs errors only.
	ctrl.SetLogger(funcr.New(func(_, text string) { fmt.Fprintln(os.Stderr, text) }, funcr.Options{Verbosity: -1}))
	scheme := runtime.NewScheme()
	must(appsv1.AddToScheme(scheme))
	must(corev1.AddToScheme(scheme))
	scheme.AddKnownTypes(version, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(scheme, version)
	selector, err := labels.Parse(ownedLabel)
	must(err)
	owned := cache.ByObject{Label: selector}
	config := &rest.Config{
		Host: os.Getenv("SERVER"), BearerToken: "bench", QPS: -1,
		// Empty means Protobuf; the local cluster speaks only JSON.
		ContentConfig:   rest.ContentConfig{ContentType: os.Getenv("CONTENT_TYPE")},
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(os.Getenv("CA"))},
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&appsv1.Deployment{}: owned,
				&corev1.Service{}:    owned,
			},
		},
	})
	must(err)
	must(ctrl.NewControllerManagedBy(manager).
		For(&Site{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(&reconciler{manager.GetClient()}))
	must(manager.Start(ctrl.SetupSignalHandler()))
}
