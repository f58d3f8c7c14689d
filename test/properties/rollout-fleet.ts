import { child, defineKind, deployment, labelValue, Type } from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { rolloutAnnotation } from '../../shared/kinds/names.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import type { Settings } from '../reconcile/engine.ts';
import type { Live } from '../scenarios/api.ts';
import type { TestNamespace } from './testbed.ts';

/** Defines a kind whose pods run this version of its code; each version of the reconciler has its own. */
export const versionOf = (version: string): Kind => {
  const [image = '', label] = version.split(' ');
  return defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Fleet',
    plural: 'fleets',
    spec: Type.Object({ size: Type.Integer({ default: 1 }) }),
    samples: [{ name: 'fleet', spec: {} }],
    owns: [deployment],
    children({ name, spec }) {
      const labels = { fleet: labelValue(name) };
      const containers = [{ name: 'web', image, env: image === 'v1' ? [] : [{ name: 'NEW' }] }];
      const template = { metadata: { labels }, spec: { containers } };
      const body = { spec: { replicas: spec.size, selector: { matchLabels: labels }, template } };
      return [child(deployment, { name, body, ...(label && { labels: { label } }) })];
    },
  });
};

export const kind = versionOf('v1');
export const policy: RolloutPolicy = { budget: () => 2, timeoutMs: 600_000, failures: 0 };

export interface FleetOptions {
  readonly ground: TestNamespace;
  readonly names: readonly string[];
  /** Limits the resources that are changed at a time. */
  readonly slots?: number;
  /** Names images whose pods never become ready. */
  readonly broken?: readonly string[];
}

/** Opens resources whose pods the test makes ready. */
export function openFleet({ ground, names, slots = 2, broken = [] }: FleetOptions) {
  const rollout = { ...policy, budget: () => slots };
  const { api } = ground;
  /** Resources that a run changed without an edit, and that are not Ready again yet. */
  const disrupted = new Set<string>();
  const edited = new Set<string>();
  let most = 0;
  let clock = 0;
  const watched =
    (around: Around): Around =>
    async (what, act) => {
      const name = /^apply Deployment (.*)$/.exec(what)?.[1];
      const before = name === undefined ? undefined : await api.find(deployment, name);
      const response = await around(what, act);
      const isChanged =
        before !== undefined &&
        (response as Live).metadata.generation !== before.metadata.generation;
      if (name !== undefined && isChanged && !edited.has(name)) disrupted.add(name);
      most = Math.max(most, disrupted.size);
      return response;
    };
  return {
    disrupted,
    most: () => most,
    /** Lets time pass for the runs. */
    pass(ms: number): void {
      clock += ms;
    },
    async create(): Promise<void> {
      for (const name of names) await api.create(kind, name, { spec: { size: 1 } });
      await this.resync('v1');
      for (const name of names) await this.ready(name);
      await this.resync('v1');
      disrupted.clear();
      most = 0;
    },
    resync: (image: string, around: Around = (_, act) => act(), settings: Partial<Settings> = {}) =>
      ground.runAll({
        kinds: [versionOf(image)],
        rollout,
        now: () => new Date(Date.now() + clock),
        deadline: Date.now() + clock + 60_000,
        through: (port) => eachCall(port, watched(around)),
        ...settings,
      }),
    /** Runs over a part of the resources, as for an audit event. */
    part: (image: string, around: Around = (_, act) => act()) =>
      ground.run({
        kinds: [versionOf(image)],
        rollout,
        trigger: 'audit',
        now: () => new Date(Date.now() + clock),
        deadline: Date.now() + clock + 60_000,
        through: (port) => eachCall(port, watched(around)),
      }),
    async edit(name: string, size: number): Promise<void> {
      edited.add(name);
      await api.patch(kind, name, { spec: { size } });
    },
    async ready(name: string): Promise<void> {
      const live = await api.find(deployment, name);
      if (live === undefined || broken.includes(imageOf(live))) return;
      const { generation = 0 } = live.metadata;
      if (
        (live.status as { observedGeneration?: number } | undefined)?.observedGeneration ===
        generation
      )
        return;
      const replicas = Number(live.spec?.replicas);
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
      const conditions = [{ type: 'Available', status: 'True', reason: 'A', message: '' }];
      const status = {
        observedGeneration: generation,
        ...counts,
        availableReplicas: replicas,
        conditions,
      };
      await api.patch(deployment, name, { status }, { subresource: 'status' });
      disrupted.delete(name);
      const resource = await api.get(kind, name);
      const observed = (resource.status as { observedGeneration?: number } | undefined)
        ?.observedGeneration;
      // Forgets the edit once a run has acted on it, because until then it may cause a write.
      if (observed === resource.metadata.generation) edited.delete(name);
    },
    async labelled(): Promise<number> {
      const all = await api.list(deployment);
      return all.filter(({ metadata }) => metadata.labels?.label !== undefined).length;
    },
    scale: (name: string, replicas: number) => api.scale(deployment, name, replicas),
    /** Removes a field, as others do without a trace in managedFields. */
    unset: (name: string) => api.patch(deployment, name, { spec: { replicas: null } }),
    /** Pauses and resumes the kind in all namespaces, as `reconciler rollout` does. */
    setPause: (value: string | null) =>
      ground.admin.patch(definitionType, groupResource(kind), {
        metadata: { annotations: { [rolloutAnnotation]: value } },
      }),
    async images(): Promise<readonly string[]> {
      return (await api.list(deployment)).map(imageOf);
    },
    async reasons(): Promise<readonly string[]> {
      const found = await api.list(kind);
      return found.map(({ status }) => markOf(status?.conditions ?? []));
    },
    async halts(): Promise<number> {
      const events = (await api.list(eventType)) as readonly { readonly reason?: string }[];
      return events.filter(({ reason }) => reason === 'RolloutHalted').length;
    },
  };
}

const markOf = (
  conditions: readonly { readonly type: string; readonly reason: string }[],
): string => conditions.find(({ type }) => type === 'RolloutPending')?.reason ?? '';

export const imageOf = ({ spec }: Live): string =>
  (spec as unknown as { template: { spec: { containers: [{ image: string }] } } }).template.spec
    .containers[0].image;
