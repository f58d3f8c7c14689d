import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The users of the cluster, by the names of their kubeconfig contexts. */
const users = {
  admin: { name: 'admin', groups: ['system:masters'] },
  reconciler: { name: 'serverless-reconciler@local', groups: [] },
  alice: { name: 'alice', groups: [] },
  bob: { name: 'bob', groups: [] },
} satisfies Record<string, { name: string; groups: readonly string[] }>;

export type UserKey = keyof typeof users;
export type UserTokens = Readonly<Record<UserKey, string>>;

const userKeys = Object.keys(users) as UserKey[];

export function makeTokens(): UserTokens {
  const tokens = userKeys.map((user) => [user, randomBytes(16).toString('hex')]);
  return Object.fromEntries(tokens) as UserTokens;
}

/** The content of a kube-apiserver's `--token-auth-file`. */
export async function writeTokenFile(directory: string, tokens: UserTokens): Promise<string> {
  const lines = userKeys.map((user) => {
    const { name, groups } = users[user];
    // An empty column would be a group without a name.
    const column = groups.length === 0 ? '' : `,"${groups.join(',')}"`;
    return `${tokens[user]},${name},${name}${column}`;
  });
  return write(directory, 'tokens.csv', `${lines.join('\n')}\n`);
}

export async function writeServiceAccountKey(directory: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return write(
    directory,
    'service-account.key',
    privateKey.export({ type: 'sec1', format: 'pem' }),
  );
}

/** Builds a kubeconfig with a context for each user; the current context is the administrator's. */
export async function writeKubeconfig(
  directory: string,
  given: { readonly url: string; readonly ca: string; readonly tokens: UserTokens },
): Promise<string> {
  const authority = Buffer.from(given.ca).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'admin',
    clusters: [
      {
        name: 'control-plane',
        cluster: { server: given.url, 'certificate-authority-data': authority },
      },
    ],
    users: userKeys.map((name) => ({ name, user: { token: given.tokens[name] } })),
    contexts: userKeys.map((name) => ({ name, context: { cluster: 'control-plane', user: name } })),
  };
  return write(directory, 'kubeconfig', JSON.stringify(config, null, 2));
}

/** Audits every write once, after its answer. Audits no reads, and no writes of Leases and Events. */
export async function writeAuditPolicy(directory: string, given?: object): Promise<string> {
  const policy = given ?? {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: [
      { level: 'None', verbs: ['get', 'list', 'watch'] },
      {
        level: 'None',
        resources: [
          { group: 'coordination.k8s.io', resources: ['leases'] },
          { group: '', resources: ['events'] },
          { group: 'events.k8s.io', resources: ['events'] },
        ],
      },
      { level: 'Metadata' },
    ],
  };
  return write(directory, 'audit-policy.yaml', JSON.stringify(policy));
}

/** Builds the kubeconfig with the address of the audit webhook. */
export async function writeAuditWebhook(directory: string, server: string): Promise<string> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'webhook',
    clusters: [{ name: 'webhook', cluster: { server } }],
    users: [{ name: 'webhook', user: {} }],
    contexts: [{ name: 'webhook', context: { cluster: 'webhook', user: 'webhook' } }],
  };
  return write(directory, 'audit-webhook.yaml', JSON.stringify(config));
}

async function write(directory: string, name: string, content: string | Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}
