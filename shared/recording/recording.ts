import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from '../canonical.ts';
import type { Key, Selection } from '../cluster/cluster.ts';
import {
  DeadlineError,
  isKubeError,
  KubeError,
  messageOf,
  OversizedError,
  UnreachableError,
} from '../cluster/cluster-errors.ts';
import { decisiveVariables } from '../config/variables.ts';
import { type Environment, givenVariables } from '../environment.ts';
import type { Identity } from '../identity.ts';
import { present } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { digestOf } from '../kinds/names.ts';
import {
  groupResource,
  type Json,
  type JsonObject,
  type KubeObject,
  type Manifest,
  type ResourceType,
  type StatusCause,
} from '../kubernetes.ts';
import { unsalted } from '../plan/observed/apply-manifest.ts';
import type { PlannedResource } from '../preview/planned-resource.ts';
import type { Preview } from '../preview/preview.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import type { Run } from '../run/run.ts';

export const recordingFormat = 'serverless-reconciler/recording';
export const recordingVersion = 6;

/** The first line of a recording. Each line is a JSON object. */
export interface Header {
  readonly line: 'header';
  readonly format: typeof recordingFormat;
  readonly version: typeof recordingVersion;
  readonly product: string;
  /** The start of the run, which a replay takes as the current time. */
  readonly at: string;
  /** The version of the API server; `unknown` in a function's recording. */
  readonly server: string;
  readonly trigger: 'resync' | 'request' | 'audit';
  readonly reconcileRequests: readonly ReconcileRequest[];
  readonly identity: Identity;
  /** Digests of the kinds' definitions, by plural and group, such as `websites.kubecon.my.domain`. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly salt: string;
}

export interface Deployment extends Pick<Header, 'product' | 'server'> {
  readonly kinds: readonly Kind[];
  readonly settings: readonly string[];
  readonly environment: Environment;
}

export const headerOf = (
  { clients: { now, identity }, policy: { trigger } }: Run,
  requests: readonly ReconcileRequest[],
  { product, server, kinds, settings, environment }: Deployment,
): Header => ({
  line: 'header',
  format: recordingFormat,
  version: recordingVersion,
  product,
  at: now().toISOString(),
  server,
  trigger: trigger === 'later' ? 'resync' : trigger,
  reconcileRequests: requests,
  identity,
  kinds: Object.fromEntries(kinds.map((kind) => [groupResource(kind), definitionDigest(kind)])),
  settings: givenVariables(recordedVariables(settings), environment),
  salt: randomBytes(16).toString('base64url'),
});

export const recordedVariables = (settings: readonly string[]): readonly string[] => [
  ...decisiveVariables,
  ...settings,
];

/** Covers the fields from which a kind's CRD is generated, except the kind's name. */
export function definitionDigest(kind: Kind): string {
  const { group, version, versions, plural, scope, shortNames, categories, scale } = kind;
  const { schema, rules, columns } = kind;
  const names = { group, version, versions, plural, scope, shortNames, categories, scale };
  const plain: Json = JSON.parse(JSON.stringify({ names, schema, rules, columns }));
  return digestOf(plain).slice(0, 16);
}

type Failed = { readonly error: RecordedError };

export type ReadLine = {
  readonly line: 'read';
  readonly request: 'list' | 'get' | 'getMetadata';
  readonly type: string;
} & (
  | ({ readonly selection: Selection } & ({ readonly items: readonly KubeObject[] } | Failed))
  | (Key & ({ readonly object: KubeObject | null } | Failed))
);

/** The response to the dry run of an apply or a patch. */
export type AskLine = Key & {
  readonly line: 'asked';
  readonly type: string;
  readonly sent: string;
} & ({ readonly object: KubeObject } | Failed);

/** Returns the digest of a JSON patch, or of a manifest without its salt annotation. */
export const questionDigest = (sent: Manifest | readonly JsonObject[]): string =>
  createHash('sha256')
    .update(canonicalJson('metadata' in sent ? unsalted(sent) : sent))
    .digest('base64url');

/** A write without its content, which is part of the decisions. */
export interface WriteLine extends Key {
  readonly line: 'write';
  readonly request: 'apply' | 'create' | 'patch' | 'delete';
  readonly type: string;
  readonly subresource?: 'status';
  readonly manager?: string;
  /** The version to which the write was locked; `absent` if the object must not exist. */
  readonly lock?: string;
  readonly resourceVersion?: string;
  readonly error?: RecordedError;
}

export interface DecisionLine {
  readonly line: 'decided' | 'desired';
  readonly resource: PlannedResource;
}

export interface TotalsLine extends Omit<Preview, 'resources'> {
  readonly line: 'totals';
}

export interface EndLine {
  readonly line: 'end';
  readonly lines: number;
}

/** The last line of a recording that exceeded its limit and lacks decisions. */
export interface TruncatedLine {
  readonly line: 'truncated';
  readonly limit: number;
}

export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
  readonly reason?: string;
  readonly causes?: readonly StatusCause[];
  readonly resource?: string;
}

/** The decisions of a run, and those that it would have made without rollouts (`desired`). */
export interface RecordedDecision {
  readonly decided: Preview;
  readonly desired: Preview;
}

export function decisionLines({ decided, desired }: RecordedDecision): readonly string[] {
  const { resources, ...totals } = decided;
  const known = new Set(resources.map((resource) => JSON.stringify(resource)));
  const others = desired.resources.filter((resource) => !known.has(JSON.stringify(resource)));
  const lines: readonly (DecisionLine | TotalsLine)[] = [
    ...resources.map((resource) => ({ line: 'decided', resource }) as const),
    ...others.map((resource) => ({ line: 'desired', resource }) as const),
    { line: 'totals', ...totals },
  ];
  return lines.map((line) => JSON.stringify(line));
}

/** Keeps the class and the reason, on which decisions depend. */
export function errorData(error: unknown): RecordedError {
  const { name } = error instanceof Error ? error : { name: 'Error' };
  const message = messageOf(error);
  if (!isKubeError(error)) return { name, message };
  const { code, reason, causes, resource } = error;
  return { name, message, code, reason, causes, ...present({ resource }) };
}

export function errorFrom({ name, message, ...response }: RecordedError): Error {
  if (name === 'OversizedError') return new OversizedError(message);
  if (name === 'DeadlineError') return new DeadlineError(message);
  if (name !== 'KubeError') return new UnreachableError(message);
  const { code = 500, reason = '', causes = [], resource } = response;
  const details = { causes, ...present({ kind: resource }) };
  const error = new KubeError('', { code, status: { reason, details } });
  error.message = message;
  return error;
}

/** Does not depend on the version of the type. */
export const listKey = (type: ResourceType | string, selection: Selection): string =>
  `${nameOf(type)} ${canonicalJson(JSON.parse(JSON.stringify(selection)) as JsonObject)}`;

export const objectKey = (type: ResourceType | string, { namespace, name }: Key): string =>
  `${nameOf(type)} ${namespace ?? ''}/${name}`;

/** `sent` is a `questionDigest`. */
export const askKey = (type: ResourceType | string, key: Key, sent: string): string =>
  `${objectKey(type, key)} ${sent}`;

const nameOf = (type: ResourceType | string): string =>
  typeof type === 'string' ? type : groupResource(type);
