/** Does the bench's job with @dot-i/k8s-operator: a Site's Deployment and Service, and its Ready condition. */
import operators, { ResourceEventType } from '@dot-i/k8s-operator';
import k8s from '@kubernetes/client-node';

const silent = { debug() {}, info() {}, warn: console.error, error: console.error };
const merge = { headers: { 'content-type': 'application/merge-patch+json' } };

class SiteOperator extends operators.default {
  async init() {
    this.apps = this.kubeConfig.makeApiClient(k8s.AppsV1Api);
    this.custom = this.kubeConfig.makeApiClient(k8s.CustomObjectsApi);
    await this.watchResource('bench.example.com', 'v1', 'sites', async ({ type, object }) => {
      if (type !== ResourceEventType.Deleted) await this.reconcile(object);
    });
    await this.watchResource('apps', 'v1', 'deployments', async ({ type, object }) => {
      if (type === ResourceEventType.Modified) await this.reportReady(object);
    });
  }

  async reconcile({ apiVersion, kind, metadata: { namespace, name, uid }, spec }) {
    const labels = { site: name };
    const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
    const metadata = { name, labels, ownerReferences: [owner] };
    const ports = [{ containerPort: 80, protocol: 'TCP' }];
    const containers = [{ name: 'nginx', image: `nginx:${spec.imageTag}`, ports }];
    const template = { metadata: { labels }, spec: { containers } };
    const deployment = {
      metadata,
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    };
    const service = {
      metadata,
      spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
    };
    await this.apps
      .createNamespacedDeployment(namespace, deployment)
      .catch(ifExists(() => this.patch('patchNamespacedDeployment', name, namespace, deployment)));
    await this.k8sApi
      .createNamespacedService(namespace, service)
      .catch(ifExists(() => this.patch('patchNamespacedService', name, namespace, service)));
  }

  patch(method, name, namespace, body) {
    const api = method === 'patchNamespacedService' ? this.k8sApi : this.apps;
    const unset = [undefined, undefined, undefined, undefined, undefined];
    return api[method](name, namespace, body, ...unset, merge);
  }

  async reportReady({ metadata, status }) {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Site');
    if (owner === undefined || status?.observedGeneration !== metadata.generation) return;
    const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
    const conditions = [{ ...ready, lastTransitionTime: new Date().toISOString() }];
    const site = ['bench.example.com', 'v1', metadata.namespace, 'sites', owner.name];
    const known = await this.custom.getNamespacedCustomObject(...site);
    if (known.body.status?.conditions?.[0]?.status === 'True') return;
    const body = { status: { conditions } };
    const unset = [undefined, undefined, undefined];
    await this.custom.patchNamespacedCustomObjectStatus(...site, body, ...unset, merge);
  }
}

const ifExists = (act) => (error) => {
  if (error.statusCode !== 409) throw error;
  return act();
};

await new SiteOperator(silent).start();
