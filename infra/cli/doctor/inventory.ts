import { KubeError, messageOf } from '../../../shared/cluster/errors.ts';
import type { Kind } from '../../../shared/kinds/define-kind.ts';
import {
  fieldManager,
  generatedManager,
  handOverManager,
  label,
} from '../../../shared/kinds/names.ts';
import { groupResource, type KubeObject, type ResourceType } from '../../../shared/kubernetes.ts';
import { isOwnCondition } from '../../../shared/plan/conditions.ts';
import { type ObservedResource, observeResource } from '../../../shared/plan/observed.ts';
import { eventType } from '../../../shared/reconcile/commit.ts';
import type { Run } from '../../../shared/reconcile/run.ts';

/** What one resource tells of its treatment. */
export interface Resident {
  /** `Website default/shop` */
  readonly name: string;
  readonly createdAt: string;
  /** The last edit by somebody else; RFC 3339. */
  readonly editedAt: string;
  readonly isDeleting: boolean;
  readonly isSuspended: boolean;
  /** A run has looked at this generation. */
  readonly isSeen: boolean;
  readonly isReady: boolean;
  readonly stalled: string | undefined;
  /** Why the schema of here refuses it. */
  readonly refused: string | undefined;
  /** Wanted children that this configuration cannot write, and why. */
  readonly blocked: readonly string[];
  /** When its first child was made. */
  readonly answeredAt: string | undefined;
}

export interface Write {
  readonly time: string;
  readonly what: string;
}

/** What there is of the kinds, and the newest trace of our own. */
export interface Inventory {
  readonly residents: readonly Resident[];
  readonly lastWrite: Write | undefined;
  readonly failures: readonly Failure[];
}

/** A list that failed. */
export interface Failure {
  /** `deployments.apps` */
  readonly type: string;
  readonly message: string;
  /** For want of a right, which is told where rights are looked at. */
  readonly isForbidden: boolean;
}

interface Where {
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
}

/** Lists the kinds' resources, their children and our Events. A list that fails is told, and hides no other. */
export async function takeInventory(run: Run, { kinds, namespaces }: Where): Promise<Inventory> {
  const failures: Failure[] = [];
  const firstChild = new Map<string, string>();
  let lastWrite: Write | undefined;
  const notice = (write: Write): void => {
    if (lastWrite === undefined || write.time > lastWrite.time) lastWrite = write;
  };
  const list = (type: ResourceType, how: object, each: (live: KubeObject) => void) =>
    Promise.all(
      (namespaces ?? [undefined]).map((namespace) =>
        run.cluster.list(type, { ...how, namespace }, each),
      ),
    ).catch((error: unknown) => {
      const isForbidden = error instanceof KubeError && error.code === 403;
      failures.push({ type: groupResource(type), message: messageOf(error), isForbidden });
    });

  const labels = { [label.managedBy]: fieldManager };
  const types = [...new Set(kinds.flatMap(({ owns }) => owns))];
  await Promise.all([
    ...types.map((type) =>
      list(type, { labels }, (live) => {
        for (const write of writesOf(live)) notice(write);
        const owner = live.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
        const born = live.metadata.creationTimestamp;
        const first = firstChild.get(owner ?? '');
        if (owner !== undefined && (first === undefined || born < first))
          firstChild.set(owner, born);
      }),
    ),
    list(eventType, { fields: { reportingComponent: fieldManager } }, (live) => {
      const { lastTimestamp: time, reason, involvedObject } = live as unknown as Told;
      const { kind, namespace, name } = involvedObject ?? {};
      if (time) notice({ time, what: `Event ${reason} on ${kind} ${namespace}/${name}` });
    }),
  ]);
  const residents: Resident[] = [];
  await Promise.all(
    kinds.map((kind) =>
      list(kind, {}, (live) => {
        for (const write of writesOf(live)) notice(write);
        residents.push(residentOf(kind, live, firstChild.get(live.metadata.uid)));
      }),
    ),
  );
  return { residents, lastWrite, failures };
}

interface Told {
  readonly lastTimestamp?: string | null;
  readonly reason?: string;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

const ours = [fieldManager, handOverManager, generatedManager];

const writesOf = ({ kind, metadata }: KubeObject): readonly Write[] =>
  (metadata.managedFields ?? []).flatMap(({ manager = '', time, subresource }) => {
    if (time === undefined || !ours.includes(manager)) return [];
    const part = subresource === undefined ? '' : `${subresource} of `;
    return [{ time, what: `${part}${kind} ${metadata.namespace}/${metadata.name}` }];
  });

function residentOf(kind: Kind, live: KubeObject, answeredAt: string | undefined): Resident {
  const resource = observeResource(live);
  const { creationTimestamp: createdAt, managedFields = [] } = live.metadata;
  const edits = managedFields
    .filter(({ subresource, manager = '' }) => subresource === undefined && !ours.includes(manager))
    .flatMap(({ time }) => time ?? []);
  const conditions = resource.status.conditions?.filter(isOwnCondition) ?? [];
  const stalled = conditions.find((one) => one.type === 'Stalled' && one.status === 'True');
  const isReady = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
  return {
    name: `${kind.kind} ${resource.namespace}/${resource.name}`,
    createdAt,
    editedAt: [createdAt, ...edits].toSorted().at(-1) ?? createdAt,
    isDeleting: resource.deleting,
    isSuspended: resource.suspended,
    isSeen: conditions.some(({ observedGeneration }) => observedGeneration === resource.generation),
    isReady,
    stalled: stalled && `${stalled.reason}: ${stalled.message}`,
    ...wishesOf(kind, resource),
    answeredAt,
  };
}

function wishesOf(kind: Kind, resource: ObservedResource): Pick<Resident, 'refused' | 'blocked'> {
  try {
    const desired = kind.desired(resource);
    if ('invalid' in desired) return { refused: desired.invalid, blocked: [] };
    const reasons = desired.flatMap(({ blocked }) => blocked ?? []);
    const words = reasons.map(({ reason, message }) => `${reason}: ${message}`);
    return { refused: undefined, blocked: [...new Set(words)] };
  } catch (error) {
    return { refused: `the kind's own code fails at it: ${messageOf(error)}`, blocked: [] };
  }
}
