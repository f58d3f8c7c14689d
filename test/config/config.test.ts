import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Config, parseConfig as parseConfigOf } from '../../shared/config/config.ts';
import { defineConfig } from '../../shared/config/define-config.ts';
import { variables } from '../../shared/config/variables.ts';
import { ConfigError } from '../../shared/environment.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { boardReading } from '../support/board.ts';
import { casesOf } from '../support/cases.ts';
import { createAuthority } from '../support/certificates.ts';
import { config, kinds, parseConfig } from '../support/config.ts';
import { team } from '../support/team.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { certificate } = createAuthority();
const pem = base64(certificate);

/** Default settings without the limits, which are functions and cannot be compared. */
const defaults: Omit<Config, 'pruneLimit' | 'rollout' | 'platform'> = {
  identity: { name: 'serverless-reconciler' },
  clusters: [{ name: 'demo', context: 'demo' }],
  kinds,
  namespaces: undefined,
  concurrency: 8,
  deadlineSeconds: 300,
  settleSeconds: 15,
  dryRun: false,
  ownIdentity: [],
  attributeRepairs: false,
  logLevel: 'INFO',
};

type Given = Readonly<Record<string, string>>;

const legal: Record<string, { reason: string; given: Given; want: Partial<Config> }> = {
  Defaults: { reason: 'CLUSTER_CONTEXT alone is enough', given: {}, want: {} },
  Empty: {
    reason: 'an empty variable counts as unset',
    given: { CLUSTER_ENDPOINT: ' ', KINDS: '', CONCURRENCY: '', DRY_RUN: '', LOG_LEVEL: '' },
    want: {},
  },
  Endpoint: {
    reason: 'a host name replaces the context',
    given: { CLUSTER_CONTEXT: '', CLUSTER_ENDPOINT: 'gke-1.us-central1.gke.goog' },
    want: {
      clusters: [
        {
          name: 'gke-1.us-central1.gke.goog',
          endpoint: 'gke-1.us-central1.gke.goog',
          ca: undefined,
        },
      ],
    },
  },
  EndpointWithCa: {
    reason: 'an address may have its own CA',
    given: { CLUSTER_CONTEXT: '', CLUSTER_ENDPOINT: 'https://10.0.0.1:443', CLUSTER_CA: pem },
    want: {
      clusters: [{ name: 'https://10.0.0.1:443', endpoint: 'https://10.0.0.1:443', ca: pem }],
    },
  },
  Clusters: {
    reason: 'each of several clusters has an address or a context',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTERS: JSON.stringify([
        { name: 'eu', endpoint: 'eu.gke.goog', ca: pem },
        { name: 'p/us/us', endpoint: 'us.gke.goog' },
        { name: 'lab', context: 'kind' },
      ]),
    },
    want: {
      clusters: [
        { name: 'eu', endpoint: 'eu.gke.goog', ca: pem },
        { name: 'p/us/us', endpoint: 'us.gke.goog', ca: undefined },
        { name: 'lab', context: 'kind' },
      ],
    },
  },
  OwnCluster: {
    reason: 'in a pod, no variable is required',
    given: {
      CLUSTER_CONTEXT: '',
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
    },
    want: { clusters: [{ name: 'in-cluster', ownServer: 'https://10.96.0.1:443' }] },
  },
  OwnClusterIpv6: {
    reason: 'the kubelet writes an IPv6 address without brackets',
    given: {
      CLUSTER_CONTEXT: '',
      KUBERNETES_SERVICE_HOST: 'fd00:10:96::1',
      KUBERNETES_SERVICE_PORT: '443',
    },
    want: { clusters: [{ name: 'in-cluster', ownServer: 'https://[fd00:10:96::1]:443' }] },
  },
  NotOwnCluster: {
    reason: 'a pod may reconcile another cluster',
    given: { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' },
    want: {},
  },
  EndpointAddress: {
    reason: 'an IPv6 address has brackets',
    given: { CLUSTER_CONTEXT: '', CLUSTER_ENDPOINT: '[fd00::1]:443' },
    want: { clusters: [{ name: '[fd00::1]:443', endpoint: '[fd00::1]:443', ca: undefined }] },
  },
  Kinds: {
    reason:
      'kinds are named by kind, plural or plural.group; duplicates are dropped, the order is kept',
    given: { KINDS: ' foos.example.com , Website, foo ,' },
    want: { kinds: [foo, website] },
  },
  Namespaces: {
    reason: 'a duplicate is dropped',
    given: { NAMESPACES: 'team-a, b ,team-a' },
    want: { namespaces: ['team-a', 'b'] },
  },
  Least: {
    reason: 'the minimum of each number is valid',
    given: { CONCURRENCY: '1', DEADLINE_SECONDS: '5', SETTLE_SECONDS: '0' },
    want: { concurrency: 1, deadlineSeconds: 5, settleSeconds: 0 },
  },
  Most: {
    reason: 'the maximum of each number is valid',
    given: { CONCURRENCY: '64', DEADLINE_SECONDS: '3500', SETTLE_SECONDS: '600' },
    want: { concurrency: 64, deadlineSeconds: 3500, settleSeconds: 600 },
  },
  AttributeRepairs: {
    reason: 'users are named only if callers are authenticated',
    given: { ATTRIBUTE_REPAIRS: 'true' },
    want: { attributeRepairs: true },
  },
  DryRun: { reason: 'case is ignored', given: { DRY_RUN: 'TRUE' }, want: { dryRun: true } },
  OwnIdentity: {
    reason: 'e-mail addresses and user names are both accepted',
    given: { OWN_IDENTITY: 'a@b.c, system:serviceaccount:x:y' },
    want: { ownIdentity: ['a@b.c', 'system:serviceaccount:x:y'] },
  },
  LogLevel: {
    reason: 'case is ignored',
    given: { LOG_LEVEL: 'debug' },
    want: { logLevel: 'DEBUG' },
  },
};

describe('parseConfig', () => {
  it.each(casesOf(legal))('%s', (_, { given, want }) => {
    const { pruneLimit, ...config } = parseConfig({ CLUSTER_CONTEXT: 'demo', ...given });
    const { kinds: desired, ...rest } = { ...defaults, ...want };
    expect(config).toMatchObject(rest);
    expect(config.kinds.map(({ kind }) => kind)).toEqual(desired.map(({ kind }) => kind));
    expect(pruneLimit(1000)).toBe(200);
  });
});

type Amounts = Record<string, { reason: string; given: string; want: readonly number[] }>;

const shares: Amounts = {
  Number: {
    reason: 'a number does not depend on the number of children',
    given: '25',
    want: [25, 25, 25, 25],
  },
  Share: {
    reason: 'a percentage is rounded down, to at least one',
    given: '25%',
    want: [1, 2, 12, 25],
  },
  All: { reason: '100 % sets no limit', given: '100%', want: [1, 10, 50, 100] },
};

const limits: Amounts = {
  ...shares,
  Default: {
    reason: 'the default is ten or a fifth, whichever is larger',
    given: '',
    want: [10, 10, 10, 20],
  },
  NoShare: { reason: '0 % forbids unrequested deletions', given: '0%', want: [0, 0, 0, 0] },
  None: { reason: '0 forbids unrequested deletions', given: '0', want: [0, 0, 0, 0] },
};

describe('PRUNE_LIMIT', () => {
  it.each(casesOf(limits))('%s', (_, { given, want }) => {
    const { pruneLimit } = parseConfig({ CLUSTER_CONTEXT: 'demo', PRUNE_LIMIT: given });
    expect([1, 10, 50, 100].map(pruneLimit)).toEqual(want);
  });
});

const budgets: Amounts = {
  ...shares,
  Default: { reason: 'the default is a tenth, but at least one', given: '', want: [1, 1, 5, 10] },
};

describe('ROLLOUT_BUDGET', () => {
  it.each(casesOf(budgets))('%s', (_, { given, want }) => {
    const { rollout } = parseConfig({ CLUSTER_CONTEXT: 'demo', ROLLOUT_BUDGET: given });
    expect([1, 10, 50, 100].map(rollout!.budget)).toEqual(want);
    expect(rollout).toMatchObject({ timeoutMs: 600_000, failures: 0 });
  });

  it('turns rollouts off if set to off', () => {
    const given = { CLUSTER_CONTEXT: 'demo', ROLLOUT_BUDGET: 'Off' };
    expect(parseConfig(given).rollout).toBeUndefined();
  });

  it('is read together with the timeout and the failure limit', () => {
    const given = { ROLLOUT_TIMEOUT_SECONDS: '60', ROLLOUT_FAILURES: '2' };
    expect(parseConfig({ CLUSTER_CONTEXT: 'demo', ...given }).rollout).toMatchObject({
      timeoutMs: 60_000,
      failures: 2,
    });
  });
});

const illegal: Record<string, { reason: string; given: Given; want: string }> = {
  NoCluster: {
    reason: 'no cluster is named',
    given: { CLUSTER_CONTEXT: '' },
    want: 'set exactly one of CLUSTER_CONTEXT (a context of the kubeconfig), CLUSTER_ENDPOINT (the host name of a managed cluster) and CLUSTERS (a list of several); currently set: none',
  },
  TwoClusters: {
    reason: 'two clusters are named in different ways',
    given: { CLUSTER_ENDPOINT: 'x.goog' },
    want: 'set exactly one of CLUSTER_CONTEXT (a context of the kubeconfig), CLUSTER_ENDPOINT (the host name of a managed cluster) and CLUSTERS (a list of several); currently set: CLUSTER_CONTEXT, CLUSTER_ENDPOINT',
  },
  ThreeClusters: {
    reason: 'all three variables are listed',
    given: { CLUSTER_ENDPOINT: 'x.goog', CLUSTERS: '[]' },
    want: 'set exactly one of CLUSTER_CONTEXT (a context of the kubeconfig), CLUSTER_ENDPOINT (the host name of a managed cluster) and CLUSTERS (a list of several); currently set: CLUSTER_CONTEXT, CLUSTER_ENDPOINT, CLUSTERS',
  },
  OwnClusterCa: {
    reason: 'CLUSTER_CA without CLUSTER_ENDPOINT is an error, in a pod, too',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTER_CA: pem,
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
    },
    want: 'set exactly one of CLUSTER_CONTEXT (a context of the kubeconfig), CLUSTER_ENDPOINT (the host name of a managed cluster) and CLUSTERS (a list of several); currently set: none',
  },
  EndpointWithPath: {
    reason: 'an endpoint has no path',
    given: { CLUSTER_CONTEXT: '', CLUSTER_ENDPOINT: 'https://x.goog/path' },
    want: 'CLUSTER_ENDPOINT: "https://x.goog/path" is not a host name; write it as the cloud provider shows it, without a path',
  },
  PlainEndpoint: {
    reason: 'a token never goes over plain HTTP',
    given: { CLUSTER_CONTEXT: '', CLUSTER_ENDPOINT: 'http://x.goog' },
    want: 'CLUSTER_ENDPOINT: "http://x.goog" is not a host name; write it as the cloud provider shows it, without a path',
  },
  Ca: {
    reason: 'PEM has to be encoded in base64',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTER_ENDPOINT: 'x',
      CLUSTER_CA: '-----BEGIN CERTIFICATE-----',
    },
    want: 'CLUSTER_CA: not a certificate; give the PEM file in base64',
  },
  CaRubbish: {
    reason: 'a CA without a certificate trusts no server',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTER_ENDPOINT: 'x',
      CLUSTER_CA: base64('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'),
    },
    want: 'CLUSTER_CA: not a certificate; give the PEM file in base64',
  },
  CaHalf: {
    reason: 'the second of two certificates is incomplete',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTER_ENDPOINT: 'x',
      CLUSTER_CA: base64(certificate + certificate.slice(0, 200)),
    },
    want: 'CLUSTER_CA: not a certificate; give the PEM file in base64',
  },
  CaOfContext: {
    reason: 'CLUSTER_CA has no effect on a context, which has its own CA',
    given: { CLUSTER_CA: pem },
    want: 'CLUSTER_CA: only valid with CLUSTER_ENDPOINT, but CLUSTER_CONTEXT is set; remove CLUSTER_CA',
  },
  CaOfClusters: {
    reason: 'CLUSTER_CA has no effect on a list of clusters, which have their own CAs',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTERS: '[{"name": "eu", "endpoint": "x"}]',
      CLUSTER_CA: pem,
    },
    want: 'CLUSTER_CA: only valid with CLUSTER_ENDPOINT, but CLUSTERS is set; remove CLUSTER_CA',
  },
  CaOfListedContext: {
    reason: 'a context in the list has its own CA, too',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTERS: JSON.stringify([{ name: 'eu', context: 'a', ca: pem }]),
    },
    want: 'CLUSTERS: entry 1 is not a cluster; write JSON such as [{"name": "eu", "endpoint": "…"}], each with a name, and with a context or an endpoint (and, if necessary, ca)',
  },
  KindsNone: {
    reason: 'a typing error must not select all kinds',
    given: { KINDS: ' , ' },
    want: 'KINDS: "," is a list without names; leave KINDS unset for the default',
  },
  NamespacesNone: {
    reason: 'a typing error must not select the whole cluster',
    given: { NAMESPACES: ',,' },
    want: 'NAMESPACES: ",," is a list without names; leave NAMESPACES unset for the default',
  },
  Kind: {
    reason: 'the error lists the known kinds',
    given: { KINDS: 'Foo,Bar' },
    want: `KINDS: unknown kind "Bar"; known kinds: ${kinds.map(({ kind }) => kind).join(', ')}`,
  },
  Namespace: {
    reason: 'only a comma separates names',
    given: { NAMESPACES: 'a b' },
    want: 'NAMESPACES: "a b" is not a namespace name; separate names by commas',
  },
  LongNamespace: {
    reason: 'a namespace has at most 63 characters',
    given: { NAMESPACES: 'a'.repeat(64) },
    want: `NAMESPACES: "${'a'.repeat(64)}" is not a namespace name; separate names by commas`,
  },
  ConcurrencyNone: {
    reason: 'a limit of 0 would prevent every run',
    given: { CONCURRENCY: '0' },
    want: 'CONCURRENCY: "0" is not an integer between 1 and 64',
  },
  ConcurrencyTooMuch: {
    reason: 'more would overload an API server',
    given: { CONCURRENCY: '65' },
    want: 'CONCURRENCY: "65" is not an integer between 1 and 64',
  },
  Deadline: {
    reason: 'longer than a function may run',
    given: { DEADLINE_SECONDS: '3600' },
    want: 'DEADLINE_SECONDS: "3600" is not an integer between 5 and 3500',
  },
  DeadlineWithUnit: {
    reason: 'seconds are written without a unit',
    given: { DEADLINE_SECONDS: '60s' },
    want: 'DEADLINE_SECONDS: "60s" is not an integer between 5 and 3500',
  },
  Settle: {
    reason: 'fractions are refused',
    given: { SETTLE_SECONDS: '1.5' },
    want: 'SETTLE_SECONDS: "1.5" is not an integer between 0 and 600',
  },
  RolloutBudget: {
    reason: 'a rollout with a budget of 0 would never progress',
    given: { ROLLOUT_BUDGET: '0%' },
    want: 'ROLLOUT_BUDGET: "0%" is neither a number such as 5 nor a percentage such as 10%, nor off',
  },
  RolloutShare: {
    reason: 'a share of more than 100 % is a mistake',
    given: { ROLLOUT_BUDGET: '101%' },
    want: 'ROLLOUT_BUDGET: "101%" is neither a number such as 5 nor a percentage such as 10%, nor off',
  },
  RolloutTimeout: {
    reason: 'pods may take longer to start',
    given: { ROLLOUT_TIMEOUT_SECONDS: '59' },
    want: 'ROLLOUT_TIMEOUT_SECONDS: "59" is not an integer between 60 and 99999',
  },
  RolloutFailures: {
    reason: 'the failure limit is a number',
    given: { ROLLOUT_BUDGET: 'off', ROLLOUT_FAILURES: 'some' },
    want: 'ROLLOUT_FAILURES: "some" is not an integer between 0 and 999',
  },
  PruneLimit: {
    reason: 'a negative number is not an amount',
    given: { PRUNE_LIMIT: '-1' },
    want: 'PRUNE_LIMIT: "-1" is neither a number such as 25 nor a percentage such as 50%',
  },
  DryRun: {
    reason: 'a typing error must not cause writes',
    given: { DRY_RUN: 'yes' },
    want: 'DRY_RUN: "yes" is not one of true, false',
  },
  AttributeRepairs: {
    reason: 'only true and false are accepted',
    given: { ATTRIBUTE_REPAIRS: '1' },
    want: 'ATTRIBUTE_REPAIRS: "1" is not one of true, false',
  },
  Clusters: {
    reason: 'a misspelt field leaves a cluster without an address',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTERS: '[{"name": "us", "context": "a"}, {"name": "eu", "endpint": "x"}]',
    },
    want: 'CLUSTERS: entry 2 is not a cluster; write JSON such as [{"name": "eu", "endpoint": "…"}], each with a name, and with a context or an endpoint (and, if necessary, ca)',
  },
  ClustersAlone: {
    reason: 'one cluster is a list, too',
    given: { CLUSTER_CONTEXT: '', CLUSTERS: '{"name": "eu", "context": "a"}' },
    want: 'CLUSTERS: not a list of clusters; write JSON such as [{"name": "eu", "endpoint": "…"}], each with a name, and with a context or an endpoint (and, if necessary, ca)',
  },
  ClustersTwice: {
    reason: 'a name identifies one cluster',
    given: {
      CLUSTER_CONTEXT: '',
      CLUSTERS: '[{"name": "eu", "context": "a"}, {"name": "eu", "context": "b"}]',
    },
    want: 'CLUSTERS: two clusters are named "eu"',
  },
  ClustersNowhere: {
    reason: 'a cluster needs an address or a context in addition to its name',
    given: { CLUSTER_CONTEXT: '', CLUSTERS: '[{"name": "eu"}]' },
    want: 'CLUSTERS: entry 1 is not a cluster; write JSON such as [{"name": "eu", "endpoint": "…"}], each with a name, and with a context or an endpoint (and, if necessary, ca)',
  },
  FanOutTopic: {
    reason: 'a topic needs its full resource name',
    given: { FAN_OUT_TOPIC: 'requests' },
    want: 'FAN_OUT_TOPIC: "requests" is not a topic; write it as projects/PROJECT/topics/TOPIC',
  },
  Bucket: {
    reason: 'a bucket is given by name, not as an address',
    given: { RECORD_BUCKET: 'gs://records/night' },
    want: 'RECORD_BUCKET: "gs://records/night" is not the name of a bucket; write it without gs:// and path, such as my-recordings',
  },
  AuthUrl: {
    reason: 'the query is reserved for OAuth scopes',
    given: { AUTH_URL: 'https://auth.example.com/check?x=1' },
    want: 'AUTH_URL: "https://auth.example.com/check?x=1" must be an http or https URL without a query, such as https://auth.example.com/check',
  },
  AuthUrlScheme: {
    reason: 'nginx needs an http or https URL',
    given: { AUTH_URL: 'auth.example.com' },
    want: 'AUTH_URL: "auth.example.com" must be an http or https URL without a query, such as https://auth.example.com/check',
  },
  IngressClass: {
    reason: 'the name of an IngressClass is an object name',
    given: { INGRESS_CLASS: 'Nginx!' },
    want: 'INGRESS_CLASS: "Nginx!" is not a valid IngressClass name',
  },
  LogLevel: {
    reason: 'the error lists the levels',
    given: { LOG_LEVEL: 'trace' },
    want: 'LOG_LEVEL: "trace" is not one of DEBUG, INFO, WARNING, ERROR',
  },
};

/** Endpoints that cannot exist. */
const nowhere = [
  ':::',
  'gke.goog:99999',
  'gke.goog:0',
  'x:',
  ':443',
  '10.0.0.256',
  'a..b',
  '-',
  '.',
  '[::1',
  'a@b',
];

const errorOf = (given: Given): unknown => {
  try {
    return parseConfig({ CLUSTER_CONTEXT: 'demo', ...given });
  } catch (error) {
    return error;
  }
};

describe('parseConfig refuses', () => {
  it.each(casesOf(illegal))('%s', (_, { given, want }) => {
    const error = errorOf(given);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toBe(want);
  });

  it.each(nowhere)('an endpoint that cannot exist: %s', (endpoint) => {
    const want = `"${endpoint}" is not a host name; write it as the cloud provider shows it, without a path`;
    const alone = errorOf({ CLUSTER_CONTEXT: '', CLUSTER_ENDPOINT: endpoint });
    expect(alone).toEqual(new ConfigError(`CLUSTER_ENDPOINT: ${want}`));
    const CLUSTERS = JSON.stringify([{ name: 'eu', endpoint }]);
    expect(errorOf({ CLUSTER_CONTEXT: '', CLUSTERS })).toEqual(
      new ConfigError(`CLUSTERS "eu": ${want}`),
    );
  });

  it('covers every variable that can have an invalid value', () => {
    const refused = Object.values(illegal).flatMap(({ given }) => Object.keys(given));
    const anything = [
      'OWN_IDENTITY',
      'GOOGLE_CLOUD_PROJECT',
      'PUBSUB_EMULATOR_HOST',
      'STORAGE_EMULATOR_HOST',
      'KUBERNETES_SERVICE_HOST',
      'KUBERNETES_SERVICE_PORT',
    ];
    expect(new Set([...refused, ...anything])).toEqual(new Set([...variables, ...config.settings]));
  });
});

describe('NAMESPACES', () => {
  const parse = (env: Given, kinds: readonly Kind[]) =>
    parseConfigOf(defineConfig({ kinds }), { CLUSTER_CONTEXT: 'demo', NAMESPACES: 'a', ...env });

  it('is refused for cluster-scoped kinds, whose resources it would omit silently', () => {
    expect(() => parse({}, [team, foo])).toThrow(
      'NAMESPACES: Team is cluster-scoped and cannot be limited to namespaces; remove NAMESPACES, or omit the kind from KINDS',
    );
    expect(parse({ KINDS: 'Foo' }, [team, foo]).namespaces).toEqual(['a']);
  });

  it.each([
    ['all' as const, 'Board reads objects in all namespaces (reads.notes); remove NAMESPACES'],
    ['granted' as const, 'Board reads objects in all namespaces (reads.notes); remove NAMESPACES'],
    [['a', 'b'], 'Board reads objects in b (reads.notes); add b to NAMESPACES'],
  ])('is refused for a kind that reads from %j', (from, message) => {
    expect(() => parse({}, [boardReading(from)])).toThrow(
      `NAMESPACES: ${message}, or omit the kind from KINDS`,
    );
    expect(parse({ KINDS: 'Foo' }, [boardReading(from), foo]).kinds).toEqual([foo]);
  });

  it.each([undefined, ['a']])('allows a kind that reads from %j', (from) => {
    expect(parse({}, [boardReading(from)]).namespaces).toEqual(['a']);
  });
});

describe('docs/configuration.md', () => {
  it('lists exactly the existing variables', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const [, section = ''] = /\n## Variables\n([\s\S]*?)(?=\n## |$)/.exec(page) ?? [];
    const names = [...section.matchAll(/^\| *`([A-Z_]+)` *\|/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual([...variables, ...config.settings].toSorted());
  });
});
