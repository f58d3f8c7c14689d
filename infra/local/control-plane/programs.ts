/** The programs of a control plane, as packages of Go. */
export const programs = [
  'go.etcd.io/etcd/server/v3',
  'k8s.io/kubernetes/cmd/kube-apiserver',
  'k8s.io/kubernetes/cmd/kube-controller-manager',
  'k8s.io/kubernetes/cmd/kube-scheduler',
  'k8s.io/kubernetes/cmd/kubectl',
];
