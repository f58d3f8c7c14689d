import { isMap, isZero, valueAt } from '../canonical.ts';
import type { Json, JsonObject, KubeObject } from '../kubernetes.ts';
import { covers, type Spot } from './covers.ts';
import type { Decision, Update } from './decision.ts';
import { isOwnershipOnly } from './drift.ts';
import { manifestOf } from './manifest.ts';
import { type ObservedChild, observeChild } from './observed.ts';
import { join } from './owned-fields.ts';
import type { Basis } from './steps.ts';

/** The child as the answer to the write will show it, before its controller has acted on it. */
export function childAfter(
  decision: Decision,
  { observed, live }: Basis,
): ObservedChild | undefined {
  switch (decision.verb) {
    case 'create':
      return newborn(decision, decision.fields);
    case 'update': {
      if (observed === undefined) return observed;
      // Adoption sets the controller.
      const { controller, readiness } = newborn(decision, decision.fields);
      const seen = changesSpec(decision, live) ? readiness : observed.readiness;
      return { ...observed, controller, readiness: seen };
    }
    case 'delete':
      return undefined;
    default:
      return observed;
  }
}

const newborn = (decision: Decision, fields: JsonObject): ObservedChild => {
  const { metadata, ...rest } = manifestOf(decision, fields, 'absent');
  const made = { uid: '', creationTimestamp: '', generation: 1 };
  return observeChild({ ...rest, metadata: { ...metadata, ...made } } as unknown as KubeObject);
};

/** Whether the server will increment the generation. */
function changesSpec(
  { type, differences, handOver, fields }: Update,
  live: KubeObject | undefined,
): boolean {
  const { quantities } = type;
  if (live !== undefined)
    return !contains(live.spec as Json | undefined, fields.spec, { path: 'spec', quantities });
  return differences.some(
    (one) =>
      one.path.startsWith('spec.') &&
      !isOwnershipOnly(one) &&
      !(one.to === undefined && valueAt(handOver, one.path.split('.')) !== undefined),
  );
}

/** As `covers`, but for lists whose items may stand in any order, beside those of others. */
function contains(live: Json | undefined, wanted: Json | undefined, spot: Spot): boolean {
  const { path, quantities } = spot;
  if (Array.isArray(live) && Array.isArray(wanted))
    return wanted.every((item) =>
      live.some((other) => contains(other, item, { path: `${path}[]`, quantities })),
    );
  if (isMap(live) && isMap(wanted))
    return Object.entries(wanted).every(([field, value]) =>
      contains(live[field], value, { path: join(path, field), quantities }),
    );
  return (live === undefined && isZero(wanted)) || covers(live, wanted, spot);
}
