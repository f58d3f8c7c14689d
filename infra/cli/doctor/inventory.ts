import { KubeError } from '../../../shared/cluster/errors.ts';
import { type Identity, namesOf } from '../../../shared/identity.ts';
import { childTypesOf, type Kind } from '../../../shared/kinds/kind.ts';
import { label } from '../../../shared/kinds/names.ts';
import {
  groupResource,
  type KubeObject,
  type ResourceType,
  titleOf,
} from '../../../shared/kubernetes.ts';
import { controllerOf } from '../../../shared/plan/observed/observed.ts';
import { eventType } from '../../../shared/plan/status/kubernetes-events.ts';
import { listErrorOf } from '../../../shared/run/list-error.ts';
import type { Run } from '../../../shared/run/run.ts';
import { factsOf, isOurs, type ResourceFacts } from './resource-facts.ts';

export interface Write {
  readonly time: string;
  readonly what: string;
}

/** The resources of the kinds, and our newest write. */
export interface Inventory {
  readonly resources: readonly ResourceFacts[];
  readonly lastWrite: Write | undefined;
  readonly failures: readonly ListFailure[];
}

/** A list that failed. */
export interface ListFailure {
  /** `deployments.apps` */
  readonly type: string;
  readonly message: string;
  /** For lack of a right, which the check of rights reports. */
  readonly isForbidden: boolean;
}

interface Where {
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
}

/** Lists the kinds' resources, their children and our Events. A failed list is reported and does not stop the others. */
export async function readInventory(run: Run, { kinds, namespaces }: Where): Promise<Inventory> {
  const failures: ListFailure[] = [];
  const writeTimes = createWriteTimes();
  const list = (type: ResourceType, how: object, each: (live: KubeObject) => void) =>
    Promise.all(
      (namespaces ?? [undefined]).map((namespace) =>
        run.cluster.list(type, { ...how, namespace }, each),
      ),
    ).catch((error: unknown) => {
      const isForbidden = error instanceof KubeError && error.code === 403;
      failures.push({
        type: groupResource(type),
        message: listErrorOf(type, kinds, error),
        isForbidden,
      });
    });

  const { identity } = run.clients;
  const labels = { [label.managedBy]: namesOf(identity) };
  const types = childTypesOf(kinds);
  await Promise.all([
    ...types.map((type) =>
      list(type, { labels }, (live) => {
        for (const write of [...writesOf(live, identity), creationOf(live)])
          writeTimes.note(write, ownerIn(live));
      }),
    ),
    list(eventType, { fields: { reportingComponent: identity.name } }, (live) => {
      const { uid } = (live as KubeObject & EventFields).involvedObject ?? {};
      const owner = uid && keyOfOwner(live.metadata.namespace, uid);
      for (const write of postOf(live)) writeTimes.note(write, owner);
    }),
  ]);
  const resources: ResourceFacts[] = [];
  await Promise.all(
    kinds.map((kind) =>
      list(kind, {}, (live) => {
        const { namespace, uid } = live.metadata;
        for (const write of writesOf(live, identity)) writeTimes.note(write);
        const writtenAt = writeTimes.of(keyOfOwner(namespace, uid));
        resources.push(factsOf(kind, live, { identity, writtenAt }));
      }),
    ),
  );
  return { resources, lastWrite: writeTimes.last(), failures };
}

/**
 * A uid counts only in its own namespace: in another, any author can claim it. So what a cluster-scoped
 * resource has in namespaces is no evidence.
 */
const keyOfOwner = (namespace: string | undefined, uid: string): string => `${namespace}/${uid}`;

function ownerIn(live: KubeObject): string | undefined {
  const controller = controllerOf(live);
  return controller && keyOfOwner(live.metadata.namespace, controller.uid);
}

/** The times of our writes, by the key of the resource they were for. */
function createWriteTimes() {
  const times = new Map<string, string[]>();
  let last: Write | undefined;
  return {
    note(write: Write, owner?: string): void {
      if (last === undefined || write.time > last.time) last = write;
      if (owner === undefined) return;
      const known = times.get(owner);
      if (known === undefined) times.set(owner, [write.time]);
      else known.push(write.time);
    },
    of: (owner: string): readonly string[] => times.get(owner) ?? [],
    last: (): Write | undefined => last,
  };
}

interface EventFields {
  readonly lastTimestamp?: string | null;
  readonly reason?: string;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

const writesOf = ({ kind, metadata }: KubeObject, identity: Identity): readonly Write[] =>
  (metadata.managedFields ?? []).flatMap(({ manager, time, subresource }) => {
    if (time === undefined || !isOurs(identity)(manager)) return [];
    const part = subresource === undefined ? '' : `${subresource} of `;
    return [{ time, what: `${part}${titleOf({ ...metadata, kind })}` }];
  });

const creationOf = ({ kind, metadata }: KubeObject): Write => ({
  time: metadata.creationTimestamp,
  what: titleOf({ ...metadata, kind }),
});

/** The newest posting of an Event. */
const postOf = (event: KubeObject): readonly Write[] => {
  const { lastTimestamp: time, reason, involvedObject } = event as KubeObject & EventFields;
  const { kind = '', namespace, name = '' } = involvedObject ?? {};
  const object = titleOf({ kind, namespace, name });
  return time ? [{ time, what: `Event ${reason} on ${object}` }] : [];
};
