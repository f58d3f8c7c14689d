import { objectOf, userOf } from '../../shared/audit/record.ts';
import { textAt, valueAt } from '../../shared/json.ts';
import type { JsonObject, OwnerReference } from '../../shared/kubernetes.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { addressOf, keyOf } from './address.ts';
import type { Exchange } from './fault-proxy.ts';

/** A write of our functions that the server executed. */
export interface OwnWrite {
  /** Key such as `deployments.apps soak-1/shop`. */
  readonly key: string;
  readonly subresource: string;
  readonly verb: 'apply' | 'patch' | 'delete' | 'create';
  readonly manager: string;
  readonly sender: string;
  /** Times in milliseconds since the epoch: when it was sent, and when the server had executed it. */
  readonly sent: number;
  readonly at: number;
  readonly uid: string;
  /** The resourceVersion after the write; empty after a deletion. */
  readonly version: string;
  /** The controller of the object in the response of the server. */
  readonly controller: OwnerReference | undefined;
  /** Key of the resource that it was written for, or that an Event is about. */
  readonly owner: string | undefined;
}

/** A write by another user. */
export interface ForeignWrite {
  readonly key: string;
  readonly subresource: string;
  readonly verb: string;
  readonly user: string;
  readonly at: number;
}

/** A request of our functions that met a fault. */
export interface InjectedFault {
  readonly key: string;
  readonly sender: string;
  readonly at: number;
}

/** All writes and faults, in the order in which they were recorded. */
export interface Record {
  readonly writes: OwnWrite[];
  readonly deeds: ForeignWrite[];
  readonly injectedFaults: InjectedFault[];
  /** Resources that have ever desired an object, even if the server refused it. */
  readonly desiredBy: Map<string, Set<string>>;
  note(exchange: Exchange): void;
  hear(event: unknown): void;
}

/** Creates a record; `plurals` maps our kinds to `plural.group`. */
export function createRecord(plurals: ReadonlyMap<string, string>): Record {
  const writes: OwnWrite[] = [];
  const deeds: ForeignWrite[] = [];
  const injectedFaults: InjectedFault[] = [];
  const desiredBy = new Map<string, Set<string>>();

  const ownerOf = (exchange: Exchange, key: string, namespace: string): string | undefined => {
    const reference = controllerIn(exchange.body);
    const about = valueAt(exchange.body, 'involvedObject') as OwnerReference | undefined;
    const owner = reference ?? about;
    const plural = plurals.get(owner?.kind ?? '');
    if (owner === undefined || plural === undefined) return undefined;
    const found = keyOf({ resource: plural, namespace, name: owner.name });
    if (reference !== undefined) desiredBy.set(key, (desiredBy.get(key) ?? new Set()).add(found));
    return found;
  };

  return {
    writes,
    deeds,
    injectedFaults,
    desiredBy,
    note(exchange) {
      const {
        sender,
        method,
        path,
        query,
        body,
        sent,
        code,
        response,
        respondedAt = Date.now(),
      } = exchange;
      const address = addressOf(path);
      if (address === undefined) return;
      const posted = textAt(body, 'metadata', 'name') ?? '';
      const key = keyOf({ ...address, name: address.name === '' ? posted : address.name });
      if (exchange.effect !== undefined) injectedFaults.push({ key, sender, at: respondedAt });
      if (method === 'GET' || query.get('dryRun') !== null) return;
      const owner = ownerOf(exchange, key, address.namespace);
      if (code === undefined || code >= 300) return;
      const { uid = '', resourceVersion = '' } = response?.metadata ?? {};
      writes.push({
        key,
        sender,
        sent,
        owner,
        at: respondedAt,
        subresource: address.subresource,
        verb: verbOf(exchange),
        manager: query.get('fieldManager') ?? '',
        uid: method === 'DELETE' ? (textAt(body, 'preconditions', 'uid') ?? '') : uid,
        version: method === 'DELETE' ? '' : resourceVersion,
        controller: controllerIn(response),
      });
    },
    hear(event) {
      const object = objectOf(event);
      const user = userOf(event);
      const code = Number(valueAt(event, 'responseStatus', 'code') ?? 200);
      if (object === undefined || user === reconciler || code >= 300) return;
      if (textAt(event, 'stage') !== 'ResponseComplete') return;
      const { group, plural, namespace = '', name = '', subresource = '' } = object;
      const resource = group === '' ? plural : `${plural}.${group}`;
      deeds.push({
        key: keyOf({ resource, namespace, name }),
        subresource,
        user,
        verb: textAt(event, 'verb') ?? '',
        at: Date.parse(textAt(event, 'stageTimestamp') ?? ''),
      });
    },
  };
}

function verbOf({ method, body }: Exchange): OwnWrite['verb'] {
  if (method === 'POST') return 'create';
  if (method === 'DELETE') return 'delete';
  return Array.isArray(body) ? 'patch' : 'apply';
}

function controllerIn(object: unknown): OwnerReference | undefined {
  const { metadata } = (object ?? {}) as { readonly metadata?: JsonObject };
  const references = (metadata?.ownerReferences ?? []) as unknown as readonly OwnerReference[];
  return Array.isArray(references) ? references.find(({ controller }) => controller) : undefined;
}
