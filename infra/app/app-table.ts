import type { Identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { readyOf } from '../../shared/plan/observed/conditions.ts';
import { observeResource } from '../../shared/plan/observed/observed-resource.ts';
import { ageText } from '../cli/output/age.ts';
import { type Text, table } from '../cli/output/print.ts';

interface AppRow {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly port: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly endpoints: readonly Endpoint[];
  readonly ready: string;
  readonly createdAt: string;
}

interface Endpoint {
  readonly path: string;
  readonly scopes?: readonly string[];
}

interface Spec {
  readonly image?: string;
  readonly port?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly endpoints?: readonly Endpoint[];
}

export function appRow(kind: Kind, live: KubeObject, identity: Identity): AppRow {
  const { name, namespace, status } = observeResource(kind, live, { identity });
  const { image = '', port = 80, minReplicas = 1, ...rest } = (live.spec ?? {}) as Spec;
  const { maxReplicas = minReplicas, endpoints = [] } = rest;
  const ready = readyOf({ status })?.status ?? 'Unknown';
  const createdAt = live.metadata.creationTimestamp;
  return { namespace, name, image, port, minReplicas, maxReplicas, endpoints, ready, createdAt };
}

const head = ['NAMESPACE', 'NAME', 'IMAGE', 'PORT', 'REPLICAS', 'ENDPOINTS', 'READY', 'AGE'];

export const appTable = (rows: readonly AppRow[], now: Date): readonly Text[] =>
  rows.length === 0
    ? ['No ContainerApps.']
    : table(
        head,
        rows.map((row) => [
          row.namespace,
          row.name,
          row.image,
          String(row.port),
          `${row.minReplicas}-${row.maxReplicas}`,
          row.endpoints.map(endpointText).join('\n') || 'none',
          row.ready,
          ageText(row.createdAt, now),
        ]),
      );

const endpointText = ({ path, scopes = [] }: Endpoint): string =>
  `${path} (${scopes.length === 0 ? 'public' : scopes.join(' ')})`;
