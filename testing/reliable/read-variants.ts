import { findEmpty } from '../../infra/generate/samples.ts';
import { present } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Reference, Resource } from '../../shared/kinds/reads.ts';
import { isInSelection, isReadable } from '../../shared/kinds/references/grants.ts';
import { isOfType, type KubeObject } from '../../shared/kubernetes.ts';
import { selectorText } from '../../shared/label-selector.ts';
import { readObjectOf } from '../../shared/plan/observed/read-object.ts';
import { type Found, foundBySelector, keyOfReference } from '../../shared/plan/observed/world.ts';
import type { AppliedObject } from '../user.ts';

/** Returns three variants of what the kind reads: absent, empty, as given. One empty map if it reads nothing. */
export function variantsOf(
  { kind, given }: { readonly kind: Kind; readonly given: readonly AppliedObject[] },
  resource: Resource<unknown>,
): readonly ReadonlyMap<string, Found>[] {
  const references = kind.refersTo.length === 0 ? [] : kind.references(resource);
  if ('invalid' in references || references.length === 0) return [new Map()];
  const variant = (find: (reference: Reference) => Found) =>
    new Map(references.map((one) => [keyOfReference(one), find(one)]));
  return [
    variant(() => ({})),
    variant((one) => present({ object: findEmpty(one) })),
    variant((one) => foundIn(given, one)),
  ];
}

/** Returns the selectors by which the kind reads objects. A field that changes only these has an effect, too. */
export function selectorsOf(kind: Kind, resource: Resource<unknown>): readonly string[] {
  const references = kind.references(resource);
  return 'invalid' in references
    ? []
    : references.flatMap(({ selector }) =>
        selector === undefined ? [] : [selectorText(selector)],
      );
}

function foundIn(given: readonly AppliedObject[], reference: Reference): Found {
  const { type, name, namespace, selector } = reference;
  const found = given
    .filter((one) => isOfType(one, type))
    .map((one) => {
      const live = one as unknown as KubeObject;
      const { namespace: place = 'default' } = live.metadata;
      return { live, name: live.metadata.name, namespace: place, resourceVersion: '1' };
    })
    .filter(({ live, ...one }) =>
      selector === undefined
        ? one.name === name && one.namespace === namespace
        : isInSelection(reference, { ...live.metadata, namespace: one.namespace }),
    )
    .filter(({ live, namespace: place }) =>
      isReadable(reference, { ...live.metadata, namespace: place }),
    )
    .map(({ live, ...one }) => ({ ...one, object: readObjectOf(type, live) }));
  return selector === undefined ? (found[0] ?? {}) : foundBySelector(reference, found);
}
