import type { LocalCluster } from '../cluster.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export type Body = any;

export interface Reply {
  readonly code: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: Headers;
}

export interface Ask {
  readonly body?: unknown;
  readonly type?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const applyPatchType = 'application/apply-patch+yaml';
export const mergePatchType = 'application/merge-patch+json';

/** Sends one request to a local cluster, `METHOD /path`. */
export const ask = async (
  cluster: Pick<LocalCluster, 'url'>,
  line: string,
  { body, type = 'application/json', token, headers = {} }: Ask = {},
): Promise<Reply> => {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(`${cluster.url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { code: response.status, body: parse(text), text, headers: response.headers };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const deployments = '/apis/apps/v1/namespaces/default/deployments';
export const services = '/api/v1/namespaces/default/services';

export const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
});

export const deployment = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...metadata },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    },
    ...spec,
  },
});

/** Creates a ConfigMap and returns an owner reference to it. */
export const makeOwner = async (cluster: LocalCluster, name: string, more: object = {}) => {
  const { body } = await ask(cluster, `POST ${configMaps}`, { body: configMap(name, more) });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid as string };
};

export const exists = async (cluster: LocalCluster, path: string): Promise<boolean> =>
  (await ask(cluster, `GET ${path}`)).code === 200;
