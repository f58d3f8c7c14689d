import fc from 'fast-check';
import { expect } from 'vitest';
import { child, defineKind, Type } from '../../index.ts';
import { isMap } from '../../shared/canonical.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { saltAnnotation } from '../../shared/kinds/names.ts';
import { isClusterScoped, type Json, type JsonObject } from '../../shared/kubernetes.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import type { Report } from '../../shared/resync/report.ts';
import { RefusedError } from '../../testing/user.ts';
import type { Subject } from '../child-types/cases.ts';
import type { Settings } from '../reconcile/engine.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { effort } from './runs.ts';
import { knownVersionsOf, type Versions, versionsOf } from './versions.ts';

/** A cluster without controllers, and the namespace in which the children are. */
export interface UpgradeGround {
  readonly api: Api;
  resync(settings: Partial<Settings>): Promise<Report>;
}

/** The kinds to install: versions differ only in their desired children. */
export const upgradedKinds = (subjects: readonly Subject[]): readonly Kind[] =>
  [true, false].flatMap((scope) => {
    const subject = subjects.find(({ type }) => isClusterScoped(type) === scope);
    return subject === undefined ? [] : [versionWith(subject, {})];
  });

/** A version of a kind with one child of this body. */
function versionWith({ type }: Pick<Subject, 'type'>, body: JsonObject): Kind {
  const wants = {
    group: 'example.org',
    version: 'v1',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [type],
    children: ({ name }: { readonly name: string }) => [child(type, { name, body })],
  };
  return isClusterScoped(type)
    ? defineKind({ ...wants, kind: 'Fleet', plural: 'fleets', scope: 'Cluster' })
    : defineKind({ ...wants, kind: 'Vessel', plural: 'vessels' });
}

/**
 * Creates a child by one version of a kind and upgrades it to another. Requires that it equals a new one, or
 * that its resource names a field that cannot be changed and the child equals a new one after its deletion.
 */
export const everyUpgrade = (
  ground: UpgradeGround,
  subject: Subject,
  cases: number,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(versionsOf(subject), (versions) => expectAsNew(ground, subject, versions)),
    {
      ...effort(cases),
      examples: knownVersionsOf(subject).map((versions): [Versions] => [versions]),
    },
  );

let places = 0;

async function expectAsNew(
  { api, resync }: UpgradeGround,
  subject: Subject,
  { from, to }: Versions,
): Promise<void> {
  const { type } = subject;
  const name = `upgraded-${++places}`;
  const [older, newer] = [versionWith(subject, from), versionWith(subject, to)];
  const runs = async (kind: Kind, count: number): Promise<World> => {
    for (let run = 0; run < count; run++) await resync({ kinds: [kind] });
    return { resource: await api.get(kind, name), live: await api.find(type, name) };
  };
  const removeAll = async (): Promise<void> => {
    for (const one of [newer, type]) await remove(api, one, name);
  };
  try {
    await api.create(older, name, { spec: {} });
    const { live } = await runs(older, 2);
    // The server refuses such a child.
    if (live === undefined) return;
    let upgraded = await runs(newer, 3);
    const ready = readyOf(upgraded.resource);
    if (ready?.reason === 'ImmutableFieldChanged') {
      expect(ready.message).toMatch(/ cannot be changed; .*delete the \w+ to have it recreated$/);
      await remove(api, type, name);
      upgraded = await runs(newer, 2);
    }
    await removeAll();
    await api.create(newer, name, { spec: {} });
    const anew = await runs(newer, 2);
    if (anew.live === undefined) return;
    expect(endOf(upgraded, to)).toEqual(endOf(anew, to));
  } finally {
    await removeAll();
  }
}

interface World {
  readonly resource: Live;
  readonly live: Live | undefined;
}

/** Removes an object that no controller keeps. */
const remove = (api: Api, type: Kind | Subject['type'], name: string): Promise<unknown> =>
  api
    .patch(type, name, { metadata: { finalizers: null } })
    .then(() => api.remove(type, name))
    .catch((error: unknown) => {
      if (!(error instanceof RefusedError)) throw error;
    });

const readyOf = ({ status }: Live): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');

/** Counts the changes of a DaemonSet's template. */
const generation = 'deprecated.daemonset.template.generation';

/** The child and the condition of its resource, without random values and those that differ in each object. */
function endOf({ resource, live }: World, desired: JsonObject): Json {
  const { message = '' } = readyOf(resource) ?? {};
  if (live === undefined) return { message };
  const { metadata, status: _, ...body } = live;
  const { [saltAnnotation]: __, [generation]: ___, ...annotations } = metadata.annotations ?? {};
  const text = JSON.stringify({ ...body, labels: metadata.labels ?? {}, annotations });
  const anonymous = text
    .replaceAll(metadata.uid, 'UID')
    .replaceAll(resource.metadata.uid, 'OWNER')
    .replaceAll(/kube-api-access-\w+/g, 'TOKEN');
  const child = withoutAllocated(JSON.parse(anonymous) as Json, JSON.stringify(desired));
  return { child, message };
}

/** Replaces allocated addresses and node ports, unless the version sets them. */
function withoutAllocated(value: Json, desired: string): Json {
  const isFree = (one: Json | undefined): boolean => !desired.includes(`${one}`);
  if (Array.isArray(value)) return value.map((item: Json) => withoutAllocated(item, desired));
  if (typeof value === 'string' && /^\d+\.\d+\.\d+\.\d+$/.test(value))
    return isFree(value) ? 'ADDRESS' : value;
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner = null]): [string, Json] => [
      name,
      /[nN]odePort$/.test(name) && isFree(inner) ? 'PORT' : withoutAllocated(inner, desired),
    ]),
  );
}
