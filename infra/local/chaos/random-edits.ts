import type { Interceptor } from '../api-server/faults/interceptors.ts';
import type { LocalCluster } from '../cluster.ts';
import type { Random } from './random.ts';

export interface RandomEditsOptions {
  readonly cluster: Pick<LocalCluster, 'url' | 'intercept'>;
  readonly random: Random;
  /** The user whose writes are preceded by an injected write. */
  readonly user: string;
  /** The label selector of the objects that are edited and deleted. */
  readonly selector: string;
  /** The fraction of these writes, from 0 to 1. */
  readonly rate: number;
  /** The time between two edits or deletions. */
  readonly pauseMs: number;
  readonly log: (text: string) => void;
}

export interface RandomEdits {
  readonly stop: () => Promise<void>;
}

/** Possible edits of a child, as merge patches; empty if it is only deleted. */
const edits: Readonly<Record<string, readonly object[]>> = {
  'apis/apps/v1/deployments': [
    { spec: { replicas: 0 } },
    { spec: { template: { metadata: { labels: { meddled: 'yes' } } } } },
    { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } },
  ],
  'apis/apps/v1/statefulsets': [{ spec: { replicas: 5 } }],
  'api/v1/services': [{ spec: { selector: { meddled: 'yes' } } }, { spec: { selector: null } }],
  'apis/autoscaling/v2/horizontalpodautoscalers': [{ spec: { maxReplicas: 1, minReplicas: 1 } }],
  'apis/networking.k8s.io/v1/ingresses': [],
};

/**
 * Edits and deletes children at random: one at each interval, and some just before a write of the reconciler
 * that was decided without the edit.
 *
 * Caveats: leaves Secrets alone, because lost credentials cannot be restored.
 */
export function startRandomEdits(options: RandomEditsOptions): RandomEdits {
  const { cluster, pauseMs, log } = options;
  const stopped = new AbortController();
  const editor: Editor = { ...options, signal: stopped.signal };
  const unlessStopped = (error: unknown): void => {
    if (!stopped.signal.aborted) log(`could not edit: ${(error as Error).message}`);
  };
  const removeInterceptor = cluster.intercept((request) =>
    editBeforeWrite(editor, request).catch(unlessStopped),
  );
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => editOrDelete(editor)).catch(unlessStopped);
  }, pauseMs);
  return {
    async stop() {
      clearInterval(timer);
      removeInterceptor();
      stopped.abort();
      await last;
    },
  };
}

type Editor = RandomEditsOptions & { readonly signal: AbortSignal };

async function editOrDelete(editor: Editor): Promise<void> {
  const { random, selector, log } = editor;
  const [collection, patches] = random.pick(kinds);
  const listed = await ask(editor, `${collection}?labelSelector=${encodeURIComponent(selector)}`);
  const { items = [] } = listed as Listed;
  if (items.length === 0) return;
  const path = pathIn(collection, random.pick(items).metadata);
  if (patches.length > 0 && random.chance(0.6)) return edit(editor, path, patches);
  log(`deleted: ${shortened(path)}`);
  await ask(editor, path, { method: 'DELETE' });
}

async function editBeforeWrite(
  editor: Editor,
  { user, verb, group, resource, subresource, namespace, name }: Parameters<Interceptor>[0],
): Promise<void> {
  if (user !== editor.user || verb !== 'patch' || subresource !== '') return;
  const found = kinds.find(([collection]) => isOf(collection, group, resource));
  if (found === undefined || !editor.random.chance(editor.rate)) return;
  const [collection, patches] = found;
  await edit(editor, pathIn(collection, { namespace, name }), patches);
}

async function edit(editor: Editor, path: string, patches: readonly object[]): Promise<void> {
  if (patches.length === 0) return;
  const patch = editor.random.pick(patches);
  editor.log(`hand edit: ${shortened(path)} ${JSON.stringify(patch)}`);
  await ask(editor, path, { method: 'PATCH', body: JSON.stringify(patch) });
}

async function ask(
  { cluster, signal }: Editor,
  path: string,
  init: RequestInit = {},
): Promise<unknown> {
  const headers = { 'content-type': 'application/merge-patch+json', 'user-agent': 'chaos' };
  const response = await fetch(`${cluster.url}/${path}`, { headers, ...init, signal });
  return response.json();
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

function pathIn(collection: string, { namespace, name }: Named): string {
  const at = collection.lastIndexOf('/');
  return `${collection.slice(0, at)}/namespaces/${namespace}${collection.slice(at)}/${name}`;
}

interface Listed {
  readonly items?: readonly { readonly metadata: Named }[];
}

const kinds = Object.entries(edits);

function isOf(collection: string, group: string, resource: string): boolean {
  const prefix = group === '' ? 'api/' : `apis/${group}/`;
  return collection.startsWith(prefix) && collection.endsWith(`/${resource}`);
}

function shortened(path: string): string {
  return path.split('/namespaces/')[1] ?? path;
}
