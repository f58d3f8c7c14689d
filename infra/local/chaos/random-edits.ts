import type { Interceptor } from '../api-server/faults/interceptors.ts';
import type { LocalCluster } from '../cluster.ts';
import type { Random } from './random.ts';

export interface RandomEditsOptions {
  readonly cluster: Pick<LocalCluster, 'url' | 'intercept'>;
  readonly random: Random;
  /** The user before whose writes another write is injected. */
  readonly user: string;
  /** The label selector of the objects that are edited and deleted. */
  readonly selector: string;
  /** The share of those writes, from 0 to 1. */
  readonly rate: number;
  /** The time between two edits or deletions. */
  readonly pauseMs: number;
  readonly log: (text: string) => void;
}

export interface RandomEdits {
  readonly stop: () => Promise<void>;
}

/** Possible edits of a child as merge patches; none if it is only ever deleted. */
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
 * Edits and deletes children at random: one at each interval, and some just before
 * a write of the reconciler that was decided without it.
 *
 * Caveats: Secrets are left alone, as lost credentials cannot be restored.
 */
export function startRandomEdits(options: RandomEditsOptions): RandomEdits {
  const { cluster, random, user, selector, rate, pauseMs, log } = options;
  const stopped = new AbortController();

  async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = { 'content-type': 'application/merge-patch+json', 'user-agent': 'chaos' };
    const signal = stopped.signal;
    const response = await fetch(`${cluster.url}/${path}`, { headers, ...init, signal });
    return response.json();
  }

  async function edit(path: string, patches: readonly object[]): Promise<void> {
    if (patches.length === 0) return;
    const patch = random.pick(patches);
    log(`hand edit: ${shortened(path)} ${JSON.stringify(patch)}`);
    await ask(path, { method: 'PATCH', body: JSON.stringify(patch) });
  }

  async function editOrDelete(): Promise<void> {
    const [collection, patches] = random.pick(kinds);
    const listed = await ask(`${collection}?labelSelector=${encodeURIComponent(selector)}`);
    const { items = [] } = listed as Listed;
    if (items.length === 0) return;
    const { namespace, name } = random.pick(items).metadata;
    const at = collection.lastIndexOf('/');
    const path = `${collection.slice(0, at)}/namespaces/${namespace}${collection.slice(at)}/${name}`;
    if (patches.length > 0 && random.chance(0.6)) return edit(path, patches);
    log(`deleted: ${shortened(path)}`);
    await ask(path, { method: 'DELETE' });
  }

  const editBeforeWrite: Interceptor = async (request) => {
    const { verb, group, resource, subresource, namespace, name } = request;
    if (request.user !== user || verb !== 'patch' || subresource !== '') return;
    const found = kinds.find(([collection]) => isOf(collection, group, resource));
    if (found === undefined || !random.chance(rate)) return;
    const [collection, patches] = found;
    const at = collection.lastIndexOf('/');
    const path = `${collection.slice(0, at)}/namespaces/${namespace}/${resource}/${name}`;
    await edit(path, patches).catch(unlessStopped);
  };

  const unlessStopped = (error: unknown): void => {
    if (!stopped.signal.aborted) log(`could not edit: ${(error as Error).message}`);
  };
  const removeInterceptor = cluster.intercept(editBeforeWrite);
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(editOrDelete).catch(unlessStopped);
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

interface Listed {
  readonly items?: readonly {
    readonly metadata: { readonly namespace: string; readonly name: string };
  }[];
}

const kinds = Object.entries(edits);

function isOf(collection: string, group: string, resource: string): boolean {
  const prefix = group === '' ? 'api/' : `apis/${group}/`;
  return collection.startsWith(prefix) && collection.endsWith(`/${resource}`);
}

function shortened(path: string): string {
  return path.split('/namespaces/')[1] ?? path;
}
