import { present } from './json.ts';
import { quote } from './printable.ts';

/** Selects the resources that a run reconciles. `{}` selects all, and each field narrows the selection. */
export interface ReconcileRequest {
  /** Such as `Foo`, `foos` or `foos.example.com`. */
  readonly kind?: string;
  readonly namespace?: string;
  /** Requires `kind`, and `namespace` unless the kind is cluster-scoped. */
  readonly name?: string;
}

/** A reconcile request in a published message, or in the body of a call to the audit function. */
export interface RequestMessage {
  readonly version: 1;
  readonly request: ReconcileRequest;
  /** The name of one of the deployment's clusters; default: all of them. */
  readonly cluster?: string;
}

const kindPattern = /^[A-Za-z][A-Za-z0-9-]*(\.[a-z0-9][-a-z0-9]*)*$/;
const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomainPattern = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

const fields: Readonly<
  Record<keyof ReconcileRequest, { pattern: RegExp; longest: number; like: string }>
> = {
  kind: { pattern: kindPattern, longest: 317, like: 'Foo, foos or foos.example.com' },
  namespace: { pattern: labelPattern, longest: 63, like: 'a DNS label such as team-a' },
  name: { pattern: subdomainPattern, longest: 253, like: 'a DNS subdomain such as foo-sample' },
};

/** Parses a reconcile request; returns a string with the problem if it is invalid. */
export function parseRequest(value: unknown): ReconcileRequest | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'a reconcile request must be an object with kind, namespace and name, each optional';
  for (const key of Object.keys(value)) {
    const refusal = Object.hasOwn(fields, key)
      ? refuseField(key as keyof ReconcileRequest, value[key as keyof typeof value])
      : `unknown field ${quote(key)}: a reconcile request has kind, namespace and name`;
    if (refusal !== undefined) return refusal;
  }
  const { kind, namespace, name }: ReconcileRequest = value;
  if (name !== undefined && kind === undefined) return 'name requires kind';
  return reconcileRequest(kind, namespace, name);
}

export const reconcileRequest = (
  kind?: string,
  namespace?: string,
  name?: string,
): ReconcileRequest => present({ kind, namespace, name });

/** Limit of objects of one type and namespace that are read by name. Beyond it, one list is cheaper. */
export const maxByName = 8;

/** Limit of requests for one kind. Beyond it, they are widened to whole namespaces, then to the whole kind. */
const maxOfKind = 32;

const wholeNamespace = ({ kind, namespace }: ReconcileRequest): ReconcileRequest =>
  reconcileRequest(kind, namespace);
const wholeKind = ({ kind }: ReconcileRequest): ReconcileRequest => reconcileRequest(kind);

/**
 * Reduces requests to a few that select at least the same resources: drops duplicates and requests that a wider one
 * covers, and widens the requests for a kind if there are too many. Guarantees: at most 32 requests for each kind,
 * in linear time.
 */
export function mergeRequests(requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] {
  const named = withoutCovered(requests);
  const listed = widen(named, { group: wholeNamespace, most: maxByName, wider: wholeNamespace });
  const spread = widen(listed, { group: wholeKind, most: maxOfKind, wider: wholeNamespace });
  return widen(spread, { group: wholeKind, most: maxOfKind, wider: wholeKind });
}

interface Widening {
  readonly group: (request: ReconcileRequest) => ReconcileRequest;
  readonly most: number;
  readonly wider: (request: ReconcileRequest) => ReconcileRequest;
}

function widen(
  requests: readonly ReconcileRequest[],
  { group, most, wider }: Widening,
): readonly ReconcileRequest[] {
  const counts = new Map<string, number>();
  for (const request of requests) {
    const key = keyOf(group(request));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (Math.max(0, ...new Set(counts.values())) <= most) return requests;
  const isLarge = (request: ReconcileRequest): boolean =>
    (counts.get(keyOf(group(request))) ?? 0) > most;
  return withoutCovered(requests.map((request) => (isLarge(request) ? wider(request) : request)));
}

const keyOf = ({ kind, namespace, name }: Parts): string => JSON.stringify([kind, namespace, name]);

interface Parts {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Drops duplicates and requests that a wider one covers. A kind spelt in two ways counts as two kinds. */
function withoutCovered(requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] {
  const unique = new Map<string, ReconcileRequest>();
  for (const request of requests) {
    const key = keyOf(request);
    if (!unique.has(key)) unique.set(key, request);
  }
  return [...unique].flatMap(([key, request]) =>
    widerThan(request).some((wider) => wider !== key && unique.has(wider)) ? [] : [request],
  );
}

/** Returns the keys of the requests that would cover this one: those with only some of its fields. */
const widerThan = ({ kind, namespace, name }: ReconcileRequest): readonly string[] => [
  keyOf({}),
  keyOf({ kind }),
  keyOf({ namespace }),
  keyOf({ name }),
  keyOf({ kind, namespace }),
  keyOf({ kind, name }),
  keyOf({ namespace, name }),
];

export const requestMessage = (request: ReconcileRequest, cluster?: string): RequestMessage => ({
  version: 1,
  request,
  ...present({ cluster }),
});

/** Reports whether an object can have this name. Any other text in a field selector might select several objects. */
export const isObjectName = (given: unknown): given is string =>
  refuseField('name', given) === undefined;

function refuseField(key: keyof ReconcileRequest, given: unknown): string | undefined {
  const { pattern, longest, like } = fields[key];
  if (typeof given === 'string' && given.length <= longest && pattern.test(given)) return;
  return `${key} must be ${like}, not ${quote(given)}`;
}
