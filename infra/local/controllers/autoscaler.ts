import type { ApiServer } from '../api-server/dispatch/api-server.ts';
import { numberAt, objectAt } from '../api-server/json/value.ts';
import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import type { KubeObject } from '../api-server/objects/object.ts';
import type { Served } from '../api-server/resources/resource.ts';
import { type Change, read, type Stored } from '../api-server/storage/stored.ts';
import { autoscalerStatus, bounded } from './autoscaler-status.ts';
import { type ControllerClient, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const collectionName = 'horizontalpodautoscalers.autoscaling';
const autoscalers = { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' };
const scalable: Readonly<Record<string, string>> = {
  'deployments.apps': 'Deployment',
  'statefulsets.apps': 'StatefulSet',
  'replicasets.apps': 'ReplicaSet',
};

/** Requests this many replicas, as load would. */
export type Autoscale = (wish: {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
}) => void;

/**
 * Keeps the targets of autoscalers within their bounds, and scales them on request.
 *
 * Caveats: there are no metrics, so nothing else scales; a target at 0 is left alone.
 */
export function autoscaler({
  server,
  work,
  ...context
}: ControllerContext): Controller & { readonly autoscale: Autoscale } {
  const { store } = server;
  const client = context.client('horizontal-pod-autoscaler');
  const later = (stored: Stored): void =>
    work.add(`${collectionName}/${stored.key}`, () => sync({ server, client }, stored));

  // The autoscalers to visit when a target changes, by target.
  const byTarget = new Map<string, Stored>();
  const remember = ({ before, after }: Change): void => {
    if (before) byTarget.delete(targetKey(before));
    if (after) byTarget.set(targetKey(after), after);
  };

  return {
    onChange: (change) => {
      const { collection, after } = change;
      if (collection === collectionName) remember(change);
      if (after === undefined) return;
      if (collection === collectionName) later(after);
      const kind = scalable[collection];
      const concerned = kind && byTarget.get(`${after.namespace}/${kind}/${after.name}`);
      if (concerned) later(concerned);
    },
    autoscale: ({ namespace, name, replicas }) => {
      const stored = store.get(collectionName, namespace, name);
      if (stored === undefined) throw new Error(`no autoscaler ${namespace}/${name}`);
      sync({ server, client }, stored, replicas);
    },
  };
}

interface Scaling {
  readonly server: ApiServer;
  readonly client: ControllerClient;
}

interface ScaleTarget {
  readonly served: Served;
  readonly stored: Stored;
}

function readAutoscaler(stored: Stored): KubeObject {
  return read(stored, 'autoscaling/v2', 'HorizontalPodAutoscaler');
}

function targetKey(stored: Stored): string {
  const { kind, name } = objectAt(objectAt(readAutoscaler(stored), 'spec'), 'scaleTargetRef');
  return `${stored.namespace}/${kind}/${name}`;
}

function targetOf({ store, registry }: ApiServer, hpa: KubeObject): ScaleTarget | undefined {
  const { apiVersion = '', kind, name } = objectAt(objectAt(hpa, 'spec'), 'scaleTargetRef');
  const [group = '', version = ''] = String(apiVersion).split('/');
  const served = registry.findKind(group, version, String(kind));
  const { namespace = '' } = hpa.metadata;
  const stored = served && store.get(served.resource.collection, namespace, String(name));
  return served && stored ? { served, stored } : undefined;
}

function sync({ server, client }: Scaling, { namespace, name }: Stored, wish?: number): void {
  const current = server.store.get(collectionName, namespace, name);
  if (current === undefined) return;
  const hpa = readAutoscaler(current);
  const target = targetOf(server, hpa);
  if (hpa.metadata.deletionTimestamp !== undefined || target === undefined) return;
  const replicas = numberAt(objectAt(JSON.parse(target.stored.body), 'spec'), 'replicas') ?? 1;
  const wanted = replicas === 0 ? 0 : bounded(objectAt(hpa, 'spec'), wish ?? replicas);
  if (wanted !== replicas) scale(client, target, wanted);
  const before = objectAt(hpa, 'status');
  const status = autoscalerStatus(before, { current: replicas, desired: wanted }, server.clock());
  if (isSemanticallyEqual(status, before)) return;
  const body = { ...hpa, status };
  unlessLostRace(() =>
    client({ verb: 'update', resource: autoscalers, namespace, name, subresource: 'status', body }),
  );
}

function scale(client: ControllerClient, { served, stored }: ScaleTarget, replicas: number): void {
  const { group, plural } = served.resource;
  const { name, namespace } = stored;
  unlessLostRace(() =>
    client({
      verb: 'update',
      resource: { group, plural, version: served.version.name },
      namespace,
      name,
      subresource: 'scale',
      body: {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, namespace },
        spec: { replicas },
      },
    }),
  );
}
