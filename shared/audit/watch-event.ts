import { present, textAt, valueAt } from '../json.ts';
import type { ResourceType } from '../kubernetes.ts';
import type { CloudEvent } from './envelope.ts';
import type { AuditRecord, Dropped } from './record.ts';

/** Matches the types of events that Knative's ApiServerSource sends in its modes Resource and Reference. */
const pattern = /^dev\.knative\.apiserver\.(?:resource|ref)\.(add|update|delete)$/;

const verbs = { add: 'create', update: 'update', delete: 'delete' } as const;

/**
 * Reads an event of Knative's ApiServerSource; undefined for other CloudEvents. Its content is the object or
 * a reference to it. It names no user, and may be about a status write.
 */
export function readWatchEvent(
  { type = '', time }: CloudEvent,
  object: unknown,
  types: readonly ResourceType[],
): AuditRecord | Dropped | undefined {
  const change = pattern.exec(type)?.[1] as keyof typeof verbs | undefined;
  if (change === undefined) return;
  const [group, version] = groupAndVersion(textAt(object, 'apiVersion') ?? '');
  const kind = textAt(object, 'kind');
  const known = types.find((one) => one.kind === kind && one.group === group);
  if (known === undefined) return { dropped: 'another type' };
  const from = valueAt(object, 'metadata') ?? object;
  const [namespace, name] = [textAt(from, 'namespace'), textAt(from, 'name')];
  if (name === undefined) return { dropped: 'an object without a name' };
  return {
    group,
    version,
    plural: known.plural,
    ...present({ namespace, name, time }),
    verb: verbs[change],
    user: '',
    failed: false,
    dryRun: false,
  };
}

function groupAndVersion(apiVersion: string): readonly [string, string] {
  const at = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(0, at)), apiVersion.slice(at + 1)];
}
