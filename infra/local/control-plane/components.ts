/** A program of the control plane and its command line. */
export interface Component {
  readonly name: string;
  readonly args: readonly string[];
}

export interface ApiServerSettings {
  readonly directory: string;
  readonly etcdPort: number;
  readonly port: number;
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  readonly auditPolicy: string;
  readonly auditWebhook?: string;
}

const loopback = '127.0.0.1';

export function etcd(directory: string, port: number): Component {
  const client = `http://${loopback}:${port}`;
  // A single member has no peers, so the peer address is never used.
  const peer = `http://${loopback}:2380`;
  return {
    name: 'etcd',
    args: [
      `--data-dir=${directory}/etcd`,
      '--name=only',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=http://${loopback}:0`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=only=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ],
  };
}

export function kubeApiServer(settings: ApiServerSettings): Component {
  const { directory, auditWebhook, serviceAccountKey } = settings;
  const webhook = [
    `--audit-webhook-config-file=${auditWebhook}`,
    '--audit-webhook-initial-backoff=100ms',
    '--audit-webhook-batch-max-wait=100ms',
  ];
  return {
    name: 'kube-apiserver',
    args: [
      `--etcd-servers=http://${loopback}:${settings.etcdPort}`,
      `--bind-address=${loopback}`,
      `--advertise-address=${loopback}`,
      `--secure-port=${settings.port}`,
      `--cert-dir=${directory}/certificates`,
      `--token-auth-file=${settings.tokenFile}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${serviceAccountKey}`,
      `--service-account-signing-key-file=${serviceAccountKey}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      // The endpoint of the Service kubernetes must not be a loopback address.
      '--endpoint-reconciler-type=none',
      // Prevents the not-ready taint of the fake node, because no kubelet would have it removed.
      '--disable-admission-plugins=TaintNodesByCondition',
      `--audit-policy-file=${settings.auditPolicy}`,
      ...(auditWebhook === undefined ? [] : webhook),
    ],
  };
}

export function kubeControllerManager(
  kubeconfig: string,
  files: { readonly serviceAccountKey: string; readonly ca: string },
): Component {
  return {
    name: 'kube-controller-manager',
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--controllers=*,-node-lifecycle-controller,-node-ipam-controller',
      `--service-account-private-key-file=${files.serviceAccountKey}`,
      `--root-ca-file=${files.ca}`,
      '--kube-api-qps=1000',
      '--kube-api-burst=1000',
      '--leader-elect=false',
      '--secure-port=0',
      // Each controller writes under its own name, as on a hosted control plane.
      '--use-service-account-credentials=true',
    ],
  };
}

export function kubeScheduler(kubeconfig: string): Component {
  return {
    name: 'kube-scheduler',
    args: [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'],
  };
}

export function kwok(kubeconfig: string, stages: string): Component {
  return {
    name: 'kwok',
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--config=${stages}`,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=0',
      '--cidr=10.244.0.1/16',
    ],
  };
}
