import type { AssertionError } from 'node:assert';
import { isSameJson } from '../shared/canonical.ts';
import { present } from '../shared/json.ts';
import type { Child } from '../shared/kinds/child.ts';
import { builtInTypes } from '../shared/kinds/child-types/built-in-types.ts';
import type { Kind } from '../shared/kinds/kind.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isOfType,
  type JsonObject,
  titleOf,
} from '../shared/kubernetes.ts';
import { labelsOf } from '../shared/plan/observed/observed-resource.ts';
import { type PlannedRequest, requestsFor } from '../shared/preview/planned-resource.ts';
import { type Preview, previewRun } from '../shared/preview/preview.ts';
import type { Report } from '../shared/resync/report.ts';
import { firstTryOf } from '../shared/run/fairness.ts';
import { describeDifference } from './difference.ts';
import { breach, laws } from './law.ts';
import type { OpenTestEnvironment } from './open-test-environment.ts';
import type { SentRequest } from './test-environment.ts';
import type { AppliedObject, LiveObject } from './user.ts';

export interface RehearsedResource extends OpenTestEnvironment {
  readonly kind: Kind;
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  /** `Foo default/shop` */
  readonly what: string;
  /** Paths of spec fields that the kind passes on to its children. */
  readonly passedOn?: readonly string[];
  /** Objects that were applied first. */
  readonly given?: readonly AppliedObject[];
  readonly statusFor?: StatusFor | undefined;
}

/** Stands in for other controllers: returns the status that they give a live child, or undefined to leave it alone. */
export type StatusFor = (child: LiveObject) => JsonObject | undefined;

/** Returns the resource in the form in which a run passes it to the kind. */
export async function readResource({ env, kind, name, namespace }: RehearsedResource) {
  const live = await env.get(kind, name, { namespace });
  const { uid = '', creationTimestamp: createdAt = '', ...metadata } = live?.metadata ?? {};
  return { name, namespace, uid, createdAt, labels: labelsOf(metadata), spec: live?.spec ?? {} };
}

/** `{}` for a cluster-scoped child. */
export const namespaceOfChild = (
  { namespace: own }: Pick<RehearsedResource, 'namespace'>,
  { type, namespace = own }: Pick<Child, 'type' | 'namespace'>,
): { readonly namespace?: string } => (isClusterScoped(type) ? {} : { namespace });

interface Rehearsed {
  readonly preview: Preview;
  readonly report: Report;
  /** Includes refused writes. */
  readonly writes: readonly SentRequest[];
  /**
   * The error if the run did not send the planned writes. Callers report other broken laws first. Undefined for a
   * slow run, because on a busy machine writes may time out and be sent again.
   */
  readonly deviation: AssertionError | undefined;
}

/** Performs a run, and compares its writes with its plan. */
export async function rehearse(subject: RehearsedResource): Promise<Rehearsed> {
  const { env, reconciler, kind, what } = subject;
  const { config } = reconciler;
  // Selects only the kind under test, because its children may be resources of another configured kind.
  const request = { kind: groupResource(kind) };
  const begun = await reconciler.begin('resync');
  const { preview } = await previewRun(begun, [request], { ...config, area: config });
  env.requests();
  const begin = performance.now();
  const report = await env.resync(request);
  const isSlow = performance.now() - begin >= firstTryOf(0);
  const writes = env.requests().filter(({ isWrite }) => isWrite);
  const planned = preview.resources.flatMap(requestsFor).filter(isWrite).map(textOf);
  // Omits refused writes, such as the create of an unlisted object, because the resource is then planned again.
  const sent = writes.filter(({ status }) => status < 400).map((one) => sentText(subject, one));
  const deviation =
    isSlow || planned.join() === sent.join()
      ? undefined
      : breach(laws.planned, what, ['planned:', ...indented(planned), 'sent:', ...indented(sent)]);
  return { preview, report, writes, deviation };
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

/** Runs the cluster's controllers, garbage collection included, until they are idle. */
async function settleCluster({ env }: Pick<OpenTestEnvironment, 'env'>): Promise<void> {
  const { controllers } = env.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

/** Lets the cluster's controllers act, and those of custom children (`statusFor`). */
export async function settleResource(subject: RehearsedResource): Promise<void> {
  await settleCluster(subject);
  const { env, kind, namespace, statusFor } = subject;
  if (statusFor === undefined) return;
  const types = kind.owns.filter((type) => !includesType([...builtInTypes, ...env.kinds], type));
  for (const type of types)
    for (const live of await env.list(type, { namespace })) {
      const { name, namespace: place } = live.metadata;
      const status = statusFor(live);
      if (status === undefined || isSameJson(status, live.status)) continue;
      const how = {
        subresource: 'status',
        manager: 'controller',
        ...present({ namespace: place }),
      } as const;
      await env.patch(type, name, { body: { status }, ...how });
    }
}

/** Returns the configured kinds whose resources the kind under test owns. */
export const ownedKinds = ({ env, kind }: RehearsedResource): readonly Kind[] =>
  env.kinds.filter((one) => includesType(kind.owns, one));

export async function resyncKinds({ env }: RehearsedResource, kinds: readonly Kind[]) {
  for (const kind of kinds) await env.resync({ kind: groupResource(kind) });
}

/** The maximum number of runs in which a change to the given objects must settle. */
const mostRuns = 12;

/** Reconciles the given resources until nothing changes, so that later deliveries of audit events do not change them. */
export async function settleGiven(
  { env }: Pick<OpenTestEnvironment, 'env'>,
  given: readonly AppliedObject[],
): Promise<void> {
  const resources = given.filter((one) => env.kinds.some((kind) => isOfType(one, kind)));
  if (resources.length === 0) return;
  for (let runs = 0; runs < mostRuns; runs++) {
    await settleCluster({ env });
    env.requests();
    await env.resync();
    if (!env.requests().some((one) => one.isWrite)) return;
  }
  const titles = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
  throw new Error(
    `given: ${titles} had not settled after ${mostRuns} runs; test the kind by itself first`,
  );
}

const isWrite = ({ verb }: PlannedRequest): boolean => verb !== 'get' && verb !== 'list';

const textOf = ({ verb, object, subresource, manager }: PlannedRequest): string => {
  if (verb === 'create') return 'create Event';
  const target = subresource === undefined ? object : `${object}/${subresource}`;
  return textFrom([verb === 'apply' ? 'patch' : verb, target, manager]);
};

function sentText({ env }: RehearsedResource, sent: SentRequest): string {
  const { verb, resource, subresource, namespace, name, path } = sent;
  if (verb === 'create') return 'create Event';
  const types = env.kinds.flatMap((kind) => [kind, ...kind.owns]);
  const kind = types.find(({ plural }) => plural === resource)?.kind ?? resource;
  const object = titleOf({ kind, namespace, name });
  const manager = new URL(path, 'http://test').searchParams.get('fieldManager');
  return textFrom([verb, subresource === '' ? object : `${object}/${subresource}`, manager]);
}

const textFrom = (parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== null).join(' ');

export const plannedChanges = ({ resources }: Preview): readonly string[] =>
  resources.flatMap(({ actions }) =>
    actions.flatMap(({ verb, child, message, differences }) => [
      `${verb} ${titleOf(child)}${message === undefined ? '' : `: ${message}`}`,
      ...differences.map((one) => `  ${describeDifference(one)}`),
    ]),
  );
