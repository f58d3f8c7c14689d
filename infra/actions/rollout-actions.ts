import type { Config } from '../../shared/config/config.ts';
import { pointerToken } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { rolloutAnnotation, rolloutFirstAnnotation } from '../../shared/kinds/names.ts';
import {
  groupResource,
  type JsonObject,
  type ObjectMeta,
  qualifiedName,
  type ResourceType,
  titleOf,
} from '../../shared/kubernetes.ts';
import { definitionType, type RolloutPause } from '../../shared/rollout/pause.ts';
import type { Run } from '../../shared/run/run.ts';
import { RefusedActionError } from './refused-action-error.ts';
import { type KindRollout, readRollout } from './rollout-state.ts';
import { counted, shortened } from './wording.ts';

export interface RolloutChange {
  readonly text: string;
  readonly annotation: string;
  /** The new value; undefined removes the annotation. */
  readonly value: string | undefined;
  readonly object: {
    readonly type: ResourceType;
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly live: ObjectMeta;
  };
}

interface ChangeContext {
  readonly config: Config;
  /** The change is refused if the state differs from what the user saw, or if more resources have failed. */
  readonly seen?: { readonly state: string; readonly failed: number };
}

export async function pausing(
  run: Run,
  kind: Kind,
  context: ChangeContext,
): Promise<RolloutChange> {
  const { object, rollout, pause } = await readKind(run, kind, context);
  const { underWay, waiting } = rollout;
  return {
    object,
    annotation: rolloutAnnotation,
    value: 'paused',
    text: pause.paused
      ? `${kind.kind} is paused already`
      : `pausing the rollout of ${kind.kind}: ${counted(underWay, 'resource')} under way will continue, ${waiting} will wait until the rollout is resumed`,
  };
}

export async function resuming(
  run: Run,
  kind: Kind,
  context: ChangeContext,
): Promise<RolloutChange> {
  const { object, rollout, pause } = await readKind(run, kind, context);
  return { object, annotation: rolloutAnnotation, ...resumption(rollout, pause) };
}

/** Sets the annotation to the server's time of the latest failure. Only later failures count. */
function resumption(
  { kind, state, members, waiting }: KindRollout,
  { paused, resumedAt }: RolloutPause,
): Pick<RolloutChange, 'text' | 'value'> {
  const isHalted = state === 'halted';
  if (isHalted && members.some((one) => one.state === 'late'))
    throw new RefusedActionError(
      `${kind}: a resource has just missed its deadline to become Ready; the next resync records this failure, and would halt a resumed rollout again: resume the rollout after that resync`,
    );
  if (!paused && !isHalted)
    return { text: `${kind} is neither paused nor halted`, value: resumedAt || undefined };
  const failed = members.filter((one) => one.state === 'failed' || one.state === 'forgiven');
  const names = failed.map(({ namespace, name }) => qualifiedName(namespace, name));
  const without =
    names.length === 0 ? '' : `; no longer counted as failed: ${shortened(names, 3).join('; ')}`;
  return {
    text: `resuming ${kind}: ${counted(waiting, 'resource')} waiting${without}`,
    value: failed
      .map(({ since }) => since)
      .toSorted()
      .at(-1),
  };
}

/** Undefined if there is no such resource. */
export async function goingFirst(
  { cluster }: Run,
  kind: Kind,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): Promise<RolloutChange | undefined> {
  const live = await cluster.getMetadata(kind, { namespace, name });
  if (live === undefined) return undefined;
  return {
    text: `${titleOf({ kind: kind.kind, namespace, name })} will be changed first${namespace === undefined ? '' : ' in its namespace'} in each rollout, until the annotation ${rolloutFirstAnnotation} is removed`,
    annotation: rolloutFirstAnnotation,
    value: 'true',
    object: { type: kind, namespace, name, live },
  };
}

/** Writes the annotation, locked to the version that was read; sends no request if the value is unchanged. */
export async function writeChange(
  { cluster }: Pick<Run, 'cluster'>,
  { object, annotation, value }: RolloutChange,
  manager: string,
): Promise<void> {
  const { type, live, ...key } = object;
  if (live.annotations?.[annotation] === value) return;
  const { resourceVersion } = live;
  const operations = [operationOf(live, annotation, value)];
  await cluster.patch(type, key, { resourceVersion, operations, manager });
}

function operationOf(
  { annotations }: ObjectMeta,
  name: string,
  value: string | undefined,
): JsonObject {
  const path = '/metadata/annotations';
  if (annotations === undefined) return { op: 'add', path, value: { [name]: value } };
  const pointer = `${path}/${pointerToken(name)}`;
  return value === undefined
    ? { op: 'remove', path: pointer }
    : { op: 'add', path: pointer, value };
}

async function readKind(run: Run, kind: Kind, { config, seen }: ChangeContext) {
  const name = groupResource(kind);
  // Reads the CRD before the resources: the write is locked to this version, so it fails if the CRD changes meanwhile.
  const live = await run.cluster.getMetadata(definitionType, { name });
  if (live === undefined)
    throw new RefusedActionError(
      `the CRD ${name} is not installed: apply it (\`generate crds\` prints it)`,
    );
  const { rollout, pause } = await readRollout(run, kind, config);
  if (seen !== undefined && (rollout.state !== seen.state || rollout.failed > seen.failed))
    throw new RefusedActionError(
      `the rollout of ${kind.kind} has changed since it was shown, so nothing was written: look at it again`,
    );
  return { rollout, pause, object: { type: definitionType, name, live } };
}
