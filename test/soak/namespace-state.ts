import { canonicalJson } from '../../shared/canonical.ts';
import { saltAnnotation } from '../../shared/kinds/names.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import type { LastApplied } from '../../shared/plan/observed/applied.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { kinds } from '../support/config.ts';
import { childTypes } from '../support/observe.ts';

/** The state of a namespace without values that differ between equal worlds. */
export interface NamespaceState {
  /** Children, and resources with their statuses, by kind and name. */
  readonly objects: Readonly<Record<string, JsonObject>>;
  /** Number of our Events by resource, reason and message. */
  readonly events: Readonly<Record<string, number>>;
}

interface Event extends Live {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly source?: { readonly component?: string };
}

export async function namespaceState(api: Api, nodePort: number): Promise<NamespaceState> {
  const neutral = (text: string): string =>
    text
      .replaceAll(api.namespace ?? '', 'NAMESPACE')
      .replaceAll(String(nodePort), '30000')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID');
  const objects: Record<string, JsonObject> = {};
  for (const type of [...kinds, ...childTypes]) {
    for (const live of await api.list(type)) {
      const key = `${type.kind} ${live.metadata.name}`;
      objects[key] = JSON.parse(neutral(canonicalJson(essence(type.kind, live)))) as JsonObject;
    }
  }
  const events: Record<string, number> = {};
  for (const live of (await api.list(eventType)) as readonly Event[]) {
    if (live.source?.component !== 'serverless-reconciler') continue;
    const { involvedObject, reason, message } = live;
    const key = neutral(`${involvedObject.kind} ${involvedObject.name} ${reason}: ${message}`);
    events[key] = (events[key] ?? 0) + 1;
  }
  return { objects, events };
}

/** Fields that depend on the server, on chance or on the time. */
const volatile = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'lastProbeTime',
  'time',
  'clusterIP',
  'clusterIPs',
  'generation',
  'observedGeneration',
  'generateName',
  'selfLink',
  'apiVersion',
  'kind',
]);

const annotationsOfControllers = /^(deployment\.kubernetes\.io|pv\.kubernetes\.io)\//;

function essence(kind: string, live: Live): JsonObject {
  const { status, metadata, ...rest } = live;
  const {
    name,
    labels = {},
    annotations = {},
    ownerReferences = [],
    managedFields = [],
  } = metadata;
  const isOwn = kinds.some((one) => one.kind === kind);
  const own = Object.entries(annotations)
    .filter(([key]) => !annotationsOfControllers.test(key))
    .map(([key, text]) => [key, key === saltAnnotation ? 'SALT' : text]);
  const managers = managedFields
    .filter(({ subresource }) => subresource === undefined)
    .map(
      ({ manager = '', operation, fieldsV1 }) =>
        `${manager} ${operation} ${canonicalJson(fieldsV1 as unknown as Json)}`,
    )
    .filter((one) => one.startsWith('serverless-reconciler'))
    .toSorted();
  const owners = ownerReferences.map((one) => `${one.kind} ${one.name}`);
  return masked({
    ...(rest as unknown as JsonObject),
    metadata: { name, labels, annotations: Object.fromEntries(own), owners, managers },
    ...(isOwn ? { status: withoutDigests((status ?? {}) as unknown as JsonObject) } : {}),
  }) as JsonObject;
}

/** Replaces the records in a status by placeholders, because the digests depend on the namespace and the node port. */
function withoutDigests({ lastApplied, ...status }: JsonObject): JsonObject {
  if (lastApplied === undefined) return status;
  const { children, reads } = lastApplied as unknown as LastApplied;
  const records = children.map((text) => (text === '' ? '' : 'RECORD'));
  return {
    ...status,
    lastApplied: { children: records, ...(reads === undefined ? {} : { reads: 'DIGEST' }) },
  };
}

/** Replaces a password, which is random, by its length. */
function masked(value: Json | undefined, field = ''): Json {
  if (field === 'password') return `password of ${String(value).length} characters`;
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value as JsonObject).filter(([name]) => !volatile.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, masked(inner, name)]));
}

/** Lists differences between two JSON values, such as `/spec/replicas is 2, not 3`. */
export function differencesIn(
  is: Json | undefined,
  not: Json | undefined,
  path = '',
): readonly string[] {
  if (isNested(is) && isNested(not)) {
    const [a, b] = [is as JsonObject, not as JsonObject];
    const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...fields].flatMap((field) => differencesIn(a[field], b[field], `${path}/${field}`));
  }
  const [left, right] = [JSON.stringify(is), JSON.stringify(not)];
  return left === right ? [] : [`${path} is ${left}, not ${right}`];
}

const isNested = (value: Json | undefined): boolean => typeof value === 'object' && value !== null;
