import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../shared/canonical.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { base64, ownLabels } from '../reconcile/desired-child.ts';
import { type Api, controllerOf, type Live } from '../scenarios/api.ts';
import { configMap, namespaceType } from '../scenarios/built-in-kinds.ts';
import { otherFoo } from '../scenarios/definitions.ts';
import { foreignDeployment, foreignService } from '../scenarios/resources.ts';
import type { TestClusterName } from '../scenarios/test-cluster.ts';
import { childTypes } from '../support/observe.ts';

/** The cluster and namespaces of the soak. */
export interface Field {
  readonly ground: TestClusterName;
  readonly api: (namespace?: string) => Api;
  /** Namespaces with resources. */
  readonly teams: readonly string[];
  /** The one of these namespaces that is deleted and created again. */
  readonly fleeting: string;
  /** A namespace of another tenant, without resources of ours. */
  readonly tenant: string;
  /** Returns a node port, which is usually unused. */
  readonly nodePort: () => number;
}

export const bystander = 'bystander';

/** Creates the namespaces, and foreign objects that must never change. */
export async function prepareField(field: Field): Promise<void> {
  for (const name of [...field.teams, field.tenant])
    await field.api().create(namespaceType, name, {});
  for (const namespace of [...field.teams, field.tenant]) {
    if (namespace !== field.fleeting) await placeBystanders(field.api(namespace));
  }
}

/** Creates foreign objects of every child type, with and without our labels, and one of another kind called Foo. */
async function placeBystanders(api: Api): Promise<void> {
  const labels = ownLabels('foo', 'f');
  const { spec } = foreignDeployment();
  const bodies: Readonly<Record<string, JsonObject>> = {
    Secret: { data: { theirs: base64('theirs') } },
    Deployment: { spec },
    StatefulSet: { spec: { ...spec, serviceName: 'theirs' } },
    Service: foreignService(),
    HorizontalPodAutoscaler: {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nobody' },
      },
    },
    Ingress: { spec: { defaultBackend: { service: { name: 'theirs', port: { number: 80 } } } } },
  };
  for (const type of childTypes) {
    const body = bodies[type.kind] ?? {};
    await api.create(type, bystander, body);
    await api.create(type, `${bystander}-labelled`, { metadata: { labels }, ...body });
  }
  await api.create(configMap, bystander, { data: { theirs: randomUUID() } });
  const owner = await api.create(otherFoo, 'f', { spec: {} });
  const metadata = { labels, ownerReferences: [controllerOf(owner)] };
  await api.create(deployment, `${bystander}-owned`, { metadata, spec });
}

/** Returns a fingerprint of each object that must never change, by key. */
export async function fingerprints(field: Field): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const namespace of [...field.teams, field.tenant]) {
    for (const type of [...childTypes, configMap]) {
      for (const live of await field.api(namespace).list(type)) {
        if (live.metadata.name.startsWith(bystander))
          found.set(`${type.kind} ${namespace}/${live.metadata.name}`, fingerprint(live));
      }
    }
  }
  return found;
}

/** Serializes an object without the fields that the cluster's controllers write. */
function fingerprint({ metadata, status: _, ...rest }: Live): string {
  const { name, uid, generation, labels, ownerReferences, finalizers } = metadata;
  const managers = (metadata.managedFields ?? [])
    .map(({ manager = '' }) => manager)
    .filter((manager) => manager.startsWith(defaultIdentity.name))
    .toSorted();
  const own = { name, uid, generation, labels, ownerReferences, finalizers };
  return canonicalJson({ ...own, managers, ...rest } as unknown as JsonObject);
}
