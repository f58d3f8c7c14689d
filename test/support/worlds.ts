import { applied } from './edits.ts';
import { identity, observeChild, observeResource, withStatusApplied } from './observe.ts';

/** Builds the observations of a run from live objects. */

import { canonicalJson, withoutUndefined } from '../../shared/canonical.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { recordFor } from '../../shared/plan/decision/apply-records.ts';
import { type Difference, differencesBetween } from '../../shared/plan/drift/differences.ts';
import { recordText } from '../../shared/plan/observed/applied.ts';
import { desiredFields, manifestOf } from '../../shared/plan/observed/apply-manifest.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { unexplored } from './unexplored.ts';

type Observed = Pick<World, 'identity' | 'children' | keyof typeof unexplored>;

export const worldOf = (...live: readonly KubeObject[]): Observed => observedIn(live, {});

/** Observes the objects as a resource in the namespace `from` sees them. */
export const worldFrom = (from: string, ...live: readonly KubeObject[]): Observed =>
  observedIn(live, { from });

const observedIn = (live: readonly KubeObject[], how: { readonly from?: string }): Observed => ({
  ...unexplored,
  identity,
  children: new Map(
    live.map((one) => observeChild(one, how)).map((child) => [keyOf(child), child]),
  ),
});

const kinds = { Website: websiteKind, Foo: fooKind };

/** Returns the desired fields of a live resource's child of this kind. */
export function fieldsOfChild(resource: KubeObject, childKind: string): JsonObject {
  const kind = kinds[resource.kind as keyof typeof kinds];
  const observed = observeResource(resource);
  const children = kind.desired(observed);
  if ('invalid' in children) throw new Error(children.invalid);
  const child = children.find(({ type }) => type.kind === childKind);
  if (child === undefined) throw new Error(`no ${childKind} is desired`);
  return withoutUndefined(desiredFields({ identity, kind, resource: observed }, child));
}

/** Returns the resource with records of these children, as after a run that found no drift. */
export function withRecords<T extends KubeObject & { readonly status: JsonObject }>(
  resource: T,
  ...live: readonly KubeObject[]
): T {
  const { generation } = observeResource(resource);
  const strings = live.map((one) => {
    const record = recordFor(observeChild(one), fieldsOfChild(resource, one.kind), { generation });
    return record === undefined ? '' : recordText(record);
  });
  const lastApplied = { children: strings, comparedAt: new Date().toISOString() };
  return withStatusApplied({ ...resource, status: { ...resource.status, lastApplied } });
}

/** Builds the body that applies these fields to a live object, locked to the version that was read. */
export function applyBody(live: KubeObject, fields: JsonObject) {
  const { name, namespace = '', uid, resourceVersion } = live.metadata;
  const child = { apiVersion: live.apiVersion, kind: live.kind, name };
  return manifestOf({ child, namespace }, fields, { uid, resourceVersion });
}

/** Returns what an apply of these fields to a live object changes. */
export const changesOf = (live: KubeObject, fields: JsonObject): readonly Difference[] =>
  differencesBetween(observeChild(live), observeChild(appliedByUs(live, fields)));

/** Returns the live object after our apply of these fields. */
export function appliedByUs(live: KubeObject, fields: JsonObject): KubeObject {
  const response = applied(live, { by: identity.name }, withoutUndefined(applyBody(live, fields)));
  const { generation = 0 } = live.metadata;
  return canonicalJson(response.spec as JsonObject) === canonicalJson(live.spec as JsonObject)
    ? response
    : { ...response, metadata: { ...response.metadata, generation: generation + 1 } };
}
