import { randomBytes } from 'node:crypto';
import { decisiveVariables } from '../config/variables.ts';
import { type Environment, givenVariables } from '../environment.ts';
import type { Kind } from '../kinds/kind.ts';
import { digestOf } from '../kinds/names.ts';
import { groupResource, type Json } from '../kubernetes.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import type { Run } from '../run/run.ts';
import { type Header, recordingFormat, recordingVersion } from './recording.ts';

/** The inputs of a run's decisions, apart from the objects that it reads. */
export interface Deployment {
  /** The version of this package. */
  readonly product: string;
  /** The version of the API server. */
  readonly server: string;
  readonly kinds: readonly Kind[];
  /** Names of the variables that kinds declare. */
  readonly settings: readonly string[];
  readonly environment: Environment;
}

export const headerOf = (
  { clients: { now, identity }, policy: { trigger } }: Run,
  {
    requests,
    deployment: { product, server, kinds, settings, environment },
  }: { readonly requests: readonly ReconcileRequest[]; readonly deployment: Deployment },
): Header => ({
  line: 'header',
  format: recordingFormat,
  version: recordingVersion,
  product,
  at: now().toISOString(),
  server,
  trigger: trigger === 'settle' ? 'resync' : trigger,
  reconcileRequests: requests,
  identity,
  kinds: Object.fromEntries(kinds.map((kind) => [groupResource(kind), definitionDigest(kind)])),
  settings: givenVariables(recordedVariables({ settings }), environment),
  salt: randomBytes(16).toString('base64url'),
});

export const recordedVariables = ({
  settings,
}: Pick<Deployment, 'settings'>): readonly string[] => [...decisiveVariables, ...settings];

/** Returns a digest of the fields of a kind from which its manifests are generated. */
export function definitionDigest(kind: Kind): string {
  const { group, version, versions, plural, scope, shortNames, categories, scale } = kind;
  const { schema, rules, columns } = kind;
  const names = { group, version, versions, plural, scope, shortNames, categories, scale };
  const plain: Json = JSON.parse(JSON.stringify({ names, schema, rules, columns }));
  return digestOf(plain).slice(0, 16);
}
