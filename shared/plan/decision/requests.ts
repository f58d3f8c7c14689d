import { generatedManager, type Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import { digestOf, rotationAnnotation } from '../../kinds/names.ts';
import type { Generator } from '../../kinds/references/generated-data.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '../../kubernetes.ts';
import { consolidated } from '../observed/legacy.ts';
import { type ObservedChild, ownLabels } from '../observed/observed.ts';
import type { ReadTarget } from '../observed/world.ts';
import { type Create, fieldsToApply, type Update, type WriteDecision } from './decision.ts';

/**
 * A request that carries out a decision, or a check before it. The first write is locked to the version in the
 * decision, each later write to the version that the preceding write returned.
 */
export type DecisionRequest =
  | CheckRequest
  /** Reads the child, and requires the version to which the decision is locked. */
  | { readonly verb: 'get' }
  | Apply
  | Patch
  | { readonly verb: 'delete' };

/**
 * Checks a precondition of a write:
 * - `absence`: the object does not exist, or the run has already observed it;
 * - `creatable`: the server accepts a dry run that creates the child under a trial name;
 * - `resource`: the spec is unchanged; with `ifOld`, reads the resource only if the last read is too old;
 * - `exposed`: the resource's objects of this type expose the same paths as in the plan.
 */
export type CheckRequest = { readonly verb: 'check' } & (
  | { readonly what: 'absence'; readonly ref: ReadTarget }
  | { readonly what: 'creatable'; readonly fields: JsonObject }
  | { readonly what: 'resource'; readonly ifOld: boolean }
  | { readonly what: 'exposed' }
);

export interface Apply extends Generator {
  readonly verb: 'apply';
  readonly manager: string;
  /** Omits identity, uid and resourceVersion. */
  readonly fields: JsonObject;
  /** Keys of `data` for generated values: random strings, unless `keyPair` or `certificate` is set. */
  readonly generates?: readonly string[];
}

export interface Patch {
  readonly verb: 'patch';
  readonly manager: string;
  /** Returns the JSON patch for the object that the last read or write returned. An empty patch is not sent. */
  readonly operations: (live: KubeObject | undefined) => readonly JsonObject[];
  /** True if the patch is sent only while legacy entries and our Apply entry have fields in common. */
  readonly ifLegacy?: true;
}

/**
 * Returns all requests of a decision, in order. A run sends them; a preview prints those of `expectedRequests`.
 *
 * Flow of an update:
 * 1. Checks.
 * 2. The patch that removes incompatible fields or leftovers.
 * 3. Generated data, with labels and owner: the Secret is then ours even if the run dies.
 * 4. Our own apply. If it repeats live strings that are too long for a plan, a read comes first.
 * 5. Consolidation of legacy entries in managedFields.
 *
 * Guarantees: generated data has its own manager, so no apply of our fields contains, drops or changes the values.
 */
export const requestsOf = (
  decision: WriteDecision,
  identity: Identity,
): readonly DecisionRequest[] => [...checksBefore(decision), ...writesOf(decision, identity)];

function checksBefore(decision: WriteDecision): readonly DecisionRequest[] {
  const { exposure } = decision.type;
  const usedBy = ('usedBy' in decision ? decision.usedBy : undefined) ?? [];
  const ifOld = decision.verb !== 'delete' && !('recreates' in decision) && exposure === undefined;
  return [
    ...usedBy.map((ref) => ({ verb: 'check', what: 'absence', ref }) as const),
    { verb: 'check', what: 'resource', ifOld },
    ...(exposure === undefined ? [] : [{ verb: 'check', what: 'exposed' } as const]),
  ];
}

function writesOf(decision: WriteDecision, identity: Identity): readonly DecisionRequest[] {
  const manager = identity.name;
  switch (decision.verb) {
    case 'create':
      return creationOf(decision, identity);
    case 'update':
      return updateOf(decision, identity);
    case 'consolidate':
      return [{ verb: 'get' }, consolidation(identity)];
    case 'withdraw': {
      // Sends a patch, because an apply would remove each field of ours that it does not repeat.
      const { path, to } = decision.difference;
      const replace = { op: 'replace', path: `/${path.replaceAll('.', '/')}`, value: to };
      return [{ verb: 'patch', manager, operations: () => [replace] }];
    }
    case 'release':
      return [{ verb: 'get' }, { verb: 'patch', manager, operations: withoutController }];
    case 'delete':
      return [{ verb: 'delete' }];
  }
}

function withoutController(live: KubeObject | undefined): readonly JsonObject[] {
  const owners = live?.metadata.ownerReferences ?? [];
  const at = owners.findIndex(({ controller }) => controller === true);
  return at < 0 ? [] : [{ op: 'remove', path: `/metadata/ownerReferences/${at}` }];
}

const creationOf = (decision: Create | Update, identity: Identity): readonly DecisionRequest[] => [
  ...generation(decision, identity),
  apply(identity.name, fieldsToApply(decision)),
];

function updateOf(decision: Update, identity: Identity): readonly DecisionRequest[] {
  const { untangles, kept, recreates } = decision;
  const { name: manager } = identity;
  const fields = fieldsToApply(decision);
  if (recreates)
    return [
      { verb: 'check', what: 'creatable', fields },
      { verb: 'delete' },
      ...creationOf(decision, identity),
    ];
  return [
    ...(untangles ? [{ verb: 'patch', manager, operations: () => untangles } as const] : []),
    ...generation(decision, identity),
    ...(kept && kept.long.length > 0 ? [{ verb: 'get' } as const] : []),
    apply(manager, fields),
    { ...consolidation(identity), ifLegacy: true },
  ];
}

/** Returns a name that is legal for every type and belongs to no object. */
export const trialName = (name: string): string => `trial-${digestOf(name).slice(0, 16)}`;

const apply = (manager: string, fields: JsonObject): Apply => ({ verb: 'apply', manager, fields });

/**
 * Sets the Secret's type, because the API server checks type and data together. Sets none of the kind's labels and
 * annotations, because they would stay when the kind drops them.
 */
const generation = (
  { fields, generates, rotation, keyPair, certificate }: Create | Update,
  identity: Identity,
): readonly Apply[] => {
  if (generates === undefined) return [];
  const { labels, ownerReferences } = (fields.metadata ?? {}) as Partial<ObjectMeta>;
  const annotations = rotation === undefined ? undefined : { [rotationAnnotation]: rotation };
  const metadata = { labels: ownLabels(labels), ...present({ ownerReferences, annotations }) };
  const { type } = fields;
  const made = apply(generatedManager(identity), { metadata, ...present({ type }) });
  return [{ ...made, generates, ...present({ keyPair, certificate }) }];
};

const consolidation = (identity: Identity): Patch => ({
  verb: 'patch',
  manager: identity.name,
  operations: (live) => [
    {
      op: 'replace',
      path: '/metadata/managedFields',
      value: live === undefined ? [] : consolidated(live, identity),
    },
  ],
});

/** Returns the requests to expect if nothing changes meanwhile. `after` is the child that a dry run returned. */
export const expectedRequests = (
  decision: WriteDecision,
  after: ObservedChild | undefined,
  identity: Identity,
): readonly DecisionRequest[] =>
  requestsOf(decision, identity).filter((request) => {
    if (request.verb === 'check') return request.what !== 'resource' || !request.ifOld;
    return request.verb !== 'patch' || !request.ifLegacy || after?.legacy === true;
  });
