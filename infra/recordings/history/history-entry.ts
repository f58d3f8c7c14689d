import { present } from '../../../shared/json.ts';
import type { ResourceType } from '../../../shared/kubernetes.ts';
import { groupResource, isOfType, type Titled } from '../../../shared/kubernetes.ts';
import type { Difference } from '../../../shared/plan/drift/differences.ts';
import type { Action, PlannedResource } from '../../../shared/preview/planned-resource.ts';
import type { Header, WriteLine } from '../../../shared/recording/recording.ts';
import { causes } from '../../origin-text.ts';

export interface HistoryEntry {
  /** RFC 3339. */
  readonly time: string;
  /** True if `time` is only the latest possible time. */
  readonly isLatest?: true;
  /** The field manager, the reporter of the Event, or the reconciler. */
  readonly who: string;
  /** The version of the code that decided. */
  readonly version?: string;
  readonly trigger?: Header['trigger'];
  readonly verb: string;
  readonly object: Titled;
  /** The decision of a run. */
  readonly action?: Action;
  /** The fields that another writer changed, if an earlier state of the object is known. */
  readonly differences?: readonly Difference[];
  /** The fields that another writer owns, if no earlier state of the object is known. */
  readonly fields?: readonly string[];
  readonly why?: string;
  readonly result?: 'sent' | 'not sent' | 'failed';
  readonly error?: string;
  readonly from: 'recording' | 'managedFields' | 'Event' | 'status' | 'plan';
  readonly recording?: string;
}

interface DecidedRun {
  readonly who: Pick<HistoryEntry, 'time' | 'who' | 'version' | 'trigger' | 'from' | 'recording'>;
  readonly planned: PlannedResource;
  /** Undefined for a plan that was not performed. */
  readonly writes?: readonly WriteLine[];
  readonly types: readonly ResourceType[];
}

/** Returns an entry for each decision and for a new status; if there is no decision, one for the resource's message. */
export function decisionEntries({
  who,
  planned,
  writes,
  types,
}: DecidedRun): readonly HistoryEntry[] {
  const { kind, namespace, name, state, message, status, actions } = planned;
  const object = { kind, namespace, name };
  const resultFor = (action: Action): Pick<HistoryEntry, 'result' | 'error'> => {
    if (writes === undefined || !action.requests.some(isWrite)) return {};
    const type = types.find((one) => isOfType(action.child, one));
    const own = writes.filter(
      (one) =>
        type !== undefined &&
        one.type === groupResource(type) &&
        one.name === action.child.name &&
        (one.namespace ?? '') === (action.child.namespace ?? namespace),
    );
    const { error } = own.at(-1) ?? {};
    if (error === undefined) return { result: own.length > 0 ? 'sent' : 'not sent' };
    return { result: 'failed', error: `${error.reason ?? error.name}: ${error.message}` };
  };
  return [
    ...(message === undefined || actions.length > 0
      ? []
      : [{ ...who, verb: state, object, why: message }]),
    ...actions.map((action) => ({
      ...who,
      verb: action.verb,
      object: action.child,
      action,
      ...present({ why: whyOf(action, planned) }),
      ...resultFor(action),
    })),
    ...(status === undefined ? [] : [{ ...who, verb: 'status', object, why: statusText(status) }]),
  ];
}

const isWrite = ({ verb, dryRun }: Action['requests'][number]): boolean =>
  !dryRun && verb !== 'get' && verb !== 'list';

const statusText = (status: NonNullable<PlannedResource['status']>): string =>
  'reason' in status ? `${status.state} ${status.reason}: ${status.message}` : status.state;

function whyOf(action: Action, { generation }: PlannedResource): string | undefined {
  const { verb, origin, differences, reason, message } = action;
  if (reason !== undefined) return `${reason}: ${message}`;
  switch (origin) {
    case 'edit':
      return `edit: generation ${generation} of the resource`;
    case 'code':
      return "code: the kind's code or a setting has changed";
    case 'reference':
      return `reference: ${causes.reference}`;
    case 'drift': {
      if (verb === 'create') return 'missing: it was deleted';
      const writers = new Set(differences.flatMap(({ writer }) => writer?.manager ?? []));
      const by = writers.size === 0 ? 'another writer' : [...writers].join(', ');
      return `drift by ${by}`;
    }
    default:
      return verb === 'delete' ? 'no longer desired' : undefined;
  }
}
