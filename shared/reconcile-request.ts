import { isFields, present } from './json.ts';
import { quote } from './printable.ts';

/** Selects the resources that a run reconciles. `{}` selects all; each field narrows the selection. */
export interface ReconcileRequest {
  /** The kind, such as `Foo`, `foos` or `foos.example.com`. */
  readonly kind?: string;
  readonly namespace?: string;
  /** Requires `kind`, and `namespace` unless the kind is cluster-scoped. */
  readonly name?: string;
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

/** Returns a string with the problem if invalid. */
export function parseRequest(value: unknown): ReconcileRequest | string {
  if (!isFields(value))
    return 'a reconcile request must be an object with kind, namespace and name, each optional';
  for (const key of Object.keys(value)) {
    const refusal = Object.hasOwn(fields, key)
      ? refuseField(key as keyof ReconcileRequest, value[key])
      : `unknown field ${quote(key)}: a reconcile request has kind, namespace and name`;
    if (refusal !== undefined) return refusal;
  }
  const { kind, namespace, name } = value as ReconcileRequest;
  if (name !== undefined && kind === undefined) return 'name requires kind';
  return reconcileRequest(kind, namespace, name);
}

export const reconcileRequest = (
  kind?: string,
  namespace?: string,
  name?: string,
): ReconcileRequest => present({ kind, namespace, name });

/** Beyond this number of objects of a type and namespace, one list is cheaper than reads. */
export const maxByName = 8;

/** Drops covered requests, and replaces many names by their namespace. Takes linear time. */
export function mergeRequests(requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] {
  const distinct = withoutCovered(requests);
  const widened = new Map<ReconcileRequest, ReconcileRequest>();
  for (const own of Map.groupBy(distinct, (one) => key(one.kind, one.namespace)).values()) {
    if (own.length <= maxByName) continue;
    const whole = reconcileRequest(own[0]?.kind, own[0]?.namespace);
    for (const one of own) widened.set(one, whole);
  }
  return withoutCovered([...new Set(distinct.map((one) => widened.get(one) ?? one))]);
}

const key = (kind?: string, namespace?: string, name?: string): string =>
  JSON.stringify([kind, namespace, name]);

/** Drops requests that another request covers. Compares kinds as spelt, so `Foo` does not cover `foos`. */
function withoutCovered(requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] {
  const unique = new Map<string, ReconcileRequest>();
  for (const one of requests) unique.set(key(one.kind, one.namespace, one.name), one);
  return [...unique].flatMap(([own, request]) =>
    keysCovering(request).some((other) => other !== own && unique.has(other)) ? [] : [request],
  );
}

/** Returns the request's own key, and the keys of all requests that would cover it. */
const keysCovering = ({ kind, namespace, name }: ReconcileRequest): readonly string[] =>
  [kind, undefined].flatMap((one) =>
    [namespace, undefined].flatMap((place) => [name, undefined].map((own) => key(one, place, own))),
  );

/** Returns a message for the audit function. Without `cluster`, it is for all clusters. */
export const requestMessage = (request: ReconcileRequest, cluster?: string) => ({
  version: 1,
  request,
  ...present({ cluster }),
});

/** Reports whether a name is legal. In a field selector, an illegal name might select several objects. */
export const isObjectName = (given: unknown): given is string =>
  refuseField('name', given) === undefined;

function refuseField(key: keyof ReconcileRequest, given: unknown): string | undefined {
  const { pattern, longest, like } = fields[key];
  if (typeof given === 'string' && given.length <= longest && pattern.test(given)) return;
  return `${key} must be ${like}, not ${quote(given)}`;
}
