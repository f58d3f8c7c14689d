import { identity, observeChild, observeResource } from './observe.ts';

/** What a run has observed, made of live objects. */

import { withoutUndefined } from '../../shared/canonical.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { recordFor } from '../../shared/plan/decision/records.ts';
import { textOf } from '../../shared/plan/observed/applied.ts';
import { desiredFields, manifestOf } from '../../shared/plan/observed/apply-manifest.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';

type Observed = Pick<World, 'identity' | 'children' | 'absent'>;

export const worldOf = (...live: readonly KubeObject[]): Observed => observedIn(live, {});

/** As a resource in the namespace `from` sees the objects. */
export const worldFrom = (from: string, ...live: readonly KubeObject[]): Observed =>
  observedIn(live, { from });

const observedIn = (live: readonly KubeObject[], how: { readonly from?: string }): Observed => ({
  identity,
  children: new Map(
    live.map((one) => observeChild(one, how)).map((child) => [keyOf(child), child]),
  ),
  absent: new Set(),
});

const kinds = { Website: websiteKind, Foo: fooKind };

/** The fields that a live resource wants its child of that kind to have. */
export function wantedFields(resource: KubeObject, childKind: string): JsonObject {
  const kind = kinds[resource.kind as keyof typeof kinds];
  const observed = observeResource(resource);
  const children = kind.desired(observed);
  if ('invalid' in children) throw new Error(children.invalid);
  const child = children.find(({ type }) => type.kind === childKind);
  if (child === undefined) throw new Error(`no ${childKind} is wanted`);
  return withoutUndefined(desiredFields({ identity, kind, resource: observed }, child));
}

/** The resource with records of these children, as a run leaves it that finds all as wanted. */
export function withRecords<T extends KubeObject & { readonly status: JsonObject }>(
  resource: T,
  ...live: readonly KubeObject[]
): T {
  const { generation } = observeResource(resource);
  const texts = live.map((one) => {
    const record = recordFor(observeChild(one), wantedFields(resource, one.kind), { generation });
    return record === undefined ? '' : textOf(record);
  });
  const lastApplied = { children: texts, comparedAt: new Date().toISOString() };
  return { ...resource, status: { ...resource.status, lastApplied } };
}

/** The body of an apply of these fields to a live object, locked to what was read. */
export function applyBody(live: KubeObject, fields: JsonObject) {
  const { name, namespace = '', uid, resourceVersion } = live.metadata;
  const child = { apiVersion: live.apiVersion, kind: live.kind, name };
  return manifestOf({ child, namespace }, fields, { uid, resourceVersion });
}
