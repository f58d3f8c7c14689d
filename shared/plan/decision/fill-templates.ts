import { present, valueAt } from '../../json.ts';
import { type Child, titleOfChild } from '../../kinds/child.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { filled, partsOf, type SecretValue, valuesIn } from '../../kinds/references/template.ts';
import { isSameType, keyOf } from '../../kubernetes.ts';
import { openEntry } from '../observed/observed.ts';
import {
  keyOfReference,
  namespaceOf,
  refOf,
  type Selected,
  type World,
} from '../observed/world.ts';

type Referring = Pick<World, 'kind' | 'resource' | 'reads'> & Partial<Pick<World, 'children'>>;

/**
 * Fills in the templates of Secrets. A child for which a value is missing is blocked, so it stays as it is.
 * The block is transient if the resource itself wants the Secret that lacks the value.
 *
 * Guarantees: a value comes from a Secret in the child's own namespace, or from one whose annotation grants
 * it. Like any Secret data, it is masked in differences and salted in records.
 */
export function fillTemplates(world: Referring, children: readonly Child[]): readonly Child[] {
  if (!children.some(({ templates }) => templates !== undefined)) return children;
  const sources = sourcesOf(world);
  return children.map((child) =>
    child.templates === undefined ? child : fill(child, { world, sources, children }),
  );
}

interface Source extends Pick<Selected, 'namespace' | 'name' | 'values'> {
  /** True if its annotation lets a child in another namespace use it. */
  readonly isGranted: boolean;
}

/** Lists the Secrets that the resource refers to, with their values. */
function sourcesOf({ kind, resource, reads }: Referring): readonly Source[] {
  const references = kind.references(resource);
  if ('invalid' in references) return [];
  return references
    .filter(({ type }) => isSameType(type, secret))
    .flatMap((reference) => {
      const found = reads?.get(keyOfReference(reference));
      if (found === undefined || !('object' in found)) return [];
      const { values, selected = [{ ...reference, ...present({ values }) }] } = found;
      const isGranted = reference.reader !== undefined;
      return selected.map((one) => ({ ...one, isGranted }));
    });
}

function fill(
  child: Child,
  {
    world,
    sources,
    children,
  }: {
    readonly world: Referring;
    readonly sources: readonly Source[];
    readonly children: readonly Child[];
  },
): Child {
  const { templates = {}, body } = child;
  const home = namespaceOf(world.resource, child);
  const find = ({ secret: named, namespace: from = home }: SecretValue): Source | undefined =>
    sources.find(
      ({ name, namespace, isGranted }) =>
        name === named && namespace === from && (from === home || isGranted),
    );
  const lookUp = (one: SecretValue): string | undefined => find(one)?.values?.get(one.key);
  const missing = valuesIn(templates).find((one) => lookUp(one) === undefined);
  if (missing !== undefined) {
    const what = find(missing) === undefined ? 'does not exist' : `has no ${missing.key}`;
    const isOwn = children.some(
      ({ type, name }) => isSameType(type, secret) && name === missing.secret,
    );
    const message = `${titleOfChild(child)} waits: Secret ${missing.secret} ${what}`;
    return {
      ...child,
      blocked: child.blocked ?? { reason: 'ValueMissing', message, transient: isOwn },
    };
  }
  const data = Object.entries(templates).map(([key, one]) => [
    key,
    filled(partsOf(one), (value) => lookUp(value) ?? '') ?? liveValue(world, child, key),
  ]);
  return {
    ...child,
    body: { ...body, data: { ...(body.data as object), ...Object.fromEntries(data) } },
  };
}

/** Returns the value in the live child. A recording has no values of the sources, so a replay uses the live ones. */
function liveValue({ children }: Referring, child: Child, key: string): string {
  const ours = children?.get(keyOf(refOf(child)))?.ours;
  const held = ours && valueAt(openEntry(ours).value, 'data', key);
  return typeof held === 'string' ? held : '';
}
