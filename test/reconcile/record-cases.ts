import { beforeEach, describe, expect, it } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  networkPolicy,
  podDisruptionBudget,
  secret,
  service,
  Type,
} from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { LastApplied } from '../../shared/plan/observed/applied.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import type { Report } from '../../shared/resync/report.ts';
import type { Api } from '../scenarios/api.ts';
import { casesOf } from '../support/cases.ts';
import type { Settings } from './engine.ts';
import { setRecords } from './set-records.ts';

interface Held {
  readonly status: {
    readonly lastApplied: { readonly children: readonly string[]; readonly comparedAt: string };
  };
}

/** The only child of the kind below, chosen by each test. */
let desired: { readonly type: ChildType; readonly body: JsonObject };
const holder = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Holder',
  plural: 'holders',
  spec: Type.Object({ round: Type.Integer({ default: 1 }) }),
  samples: [{ name: 'one', spec: {} }],
  owns: [deployment, networkPolicy, podDisruptionBudget, service, configMap, secret],
  children: ({ name }) => [child(desired.type, { name, body: desired.body })],
});

/** A cluster on which the cases run. */
export interface RecordGround {
  /** A client for the namespace of the case. */
  readonly api: Api;
  /** Resyncs the namespace of the case. */
  readonly resync: (settings: Partial<Settings>) => Promise<Report>;
}

export const recordKinds = [holder];

let ground: RecordGround;
let asked = { gets: 0, dryRuns: 0 };

const labels = { app: 'a' };
const podSpec = (spec: JsonObject): JsonObject => ({
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec },
});
const container = { name: 'a', image: 'a:1' };
const init = (...names: readonly string[]) =>
  names.map((name): JsonObject => ({ name, image: 'b:1' }));

const portsNamed = (field: 'port' | 'containerPort', ...names: readonly string[]) =>
  names.map((name, at): JsonObject => ({ name, [field]: 80 + at }));
const renumbered = (list: string, field: 'port' | 'containerPort', ...ports: readonly number[]) =>
  ports.map((at) => ({ op: 'replace', path: `${list}/${at}/${field}`, value: 90 + at }));

/** Resyncs, and lists the writes. */
async function run(settings: Partial<Settings> = {}): Promise<readonly string[]> {
  const writes: string[] = [];
  asked = { gets: 0, dryRuns: 0 };
  const counted = (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => counted(cluster.withTimeout(ms)),
    get(type, key) {
      if (type.plural === desired.type.plural) asked.gets++;
      return cluster.get(type, key);
    },
    apply(type, manifest, as) {
      if (as.dryRun) asked.dryRuns++;
      else writes.push(`apply ${type.plural}${as.subresource === undefined ? '' : '/status'}`);
      return cluster.apply(type, manifest, as);
    },
    create(type, manifest) {
      writes.push(`create ${type.plural}`);
      return cluster.create(type, manifest);
    },
    patch(type, key, patch) {
      writes.push(`patch ${type.plural}`);
      return cluster.patch(type, key, patch);
    },
  });
  const { failures } = await ground.resync({ ...settings, through: counted });
  expect(failures).toEqual([]);
  return writes;
}

/** Drops addresses and node ports, which the server allocates for a Service. */
const withoutAllocated = (spec: unknown): unknown =>
  JSON.parse(
    JSON.stringify(spec, (key, value) =>
      ['clusterIP', 'clusterIPs', 'nodePort'].includes(key) ? undefined : value,
    ),
  );

const setApplied = (changes: Partial<LastApplied>) =>
  setRecords(ground.api, holder, 'one', changes);
const yesterday = (): string => new Date(Date.now() - 24 * 3_600_000).toISOString();

const start = async (type: ChildType, body: JsonObject): Promise<void> => {
  desired = { type, body };
  await ground.api.create(holder, 'one', { spec: {} });
  await run();
  expect(await run()).toEqual([]);
};
const live = () => ground.api.get(desired.type, 'one');

interface Edit {
  readonly reason: string;
  readonly type: ChildType;
  readonly body: JsonObject;
  readonly by: { readonly as?: 'json' | 'strategic' | 'merge'; readonly patch: unknown };
}

const drifts: Record<string, Edit> = {
  'an empty selector that is narrowed': {
    reason: 'an empty podSelector selects every pod, so a narrower one leaves pods unprotected',
    type: networkPolicy,
    body: { spec: { podSelector: {}, policyTypes: ['Ingress'] } },
    by: { patch: { spec: { podSelector: { matchLabels: { role: 'nobody' } } } } },
  },
  'an empty selector of a budget that is narrowed': {
    reason: 'an empty selector selects every pod, so a narrower one leaves pods unprotected',
    type: podDisruptionBudget,
    body: { spec: { selector: {}, minAvailable: 1 } },
    by: { patch: { spec: { selector: { matchLabels: { role: 'nobody' } } } } },
  },
  'the order of init containers': {
    reason: 'init containers run one after the other',
    type: deployment,
    body: { spec: podSpec({ containers: [container], initContainers: init('seed', 'migrate') }) },
    by: {
      as: 'json',
      patch: [
        {
          op: 'move',
          from: '/spec/template/spec/initContainers/0',
          path: '/spec/template/spec/initContainers/1',
        },
      ],
    },
  },
  'an empty string that is filled': {
    reason: 'an empty string is a value',
    type: configMap,
    body: { data: { a: '' } },
    by: { patch: { data: { a: 'b' } } },
  },
  'an empty list of rules that is filled': {
    reason: 'no rule admits nobody; the server stores the empty list as if it were absent',
    type: networkPolicy,
    body: { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [] } },
    by: { patch: { spec: { ingress: [{}] } } },
  },
  'false that becomes true': {
    reason: 'the server stores false as if it were absent',
    type: deployment,
    body: { spec: podSpec({ containers: [container], hostNetwork: false }) },
    by: { patch: { spec: { template: { spec: { hostNetwork: true } } } } },
  },
  'an empty command that is filled': {
    reason: 'the server stores an empty list as if it were absent',
    type: deployment,
    body: { spec: podSpec({ containers: [{ ...container, command: [] }] }) },
    by: {
      as: 'strategic',
      patch: { spec: { template: { spec: { containers: [{ name: 'a', command: ['sh'] }] } } } },
    },
  },
  'an empty atomic map that is filled': {
    reason: 'an empty node selector selects every node',
    type: deployment,
    body: { spec: podSpec({ containers: [container], nodeSelector: {} }) },
    by: { patch: { spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } } } },
  },
  'a value behind a forged entry': {
    reason: 'anyone with permissions on the child may write managedFields',
    type: configMap,
    body: { data: { a: 'b' } },
    by: { patch: { data: { a: 'c' } } },
  },
};

/** Runs every case, each in a namespace of its own. */
export function playRecords(open: () => Promise<RecordGround>): void {
  beforeEach(async () => {
    ground = await open();
  });

  describe('a change by others', () => {
    it.each(casesOf(drifts))('is drift: %s', async (_, { type, body, by }) => {
      await start(type, body);
      const before = await live();
      await ground.api.patch(type, 'one', by.patch, { as: by.as ?? 'merge' });
      expect((await live()).metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      const [write] = await run();
      expect(write).toBe(`apply ${type.plural}`);
      const { spec, data } = (await live()) as unknown as JsonObject;
      const { spec: specBefore, data: dataBefore } = before as unknown as JsonObject;
      expect({ spec, data }).toEqual({ spec: specBefore, data: dataBefore });
      expect(await run()).toEqual([]);
      const repairs = (await ground.api.list(eventType)).filter(
        (event) => (event as unknown as JsonObject).reason === 'Repaired',
      );
      expect(repairs).toHaveLength(1);
    });

    const additions: Record<string, Edit> = {
      'labels and annotations': {
        reason: 'fields whose absence is not desired',
        type: deployment,
        body: { metadata: {}, spec: podSpec({ containers: [container] }) },
        by: { patch: { metadata: { labels: { x: 'y' }, annotations: { x: 'y' } } } },
      },
      'keys of a map that is desired empty': {
        reason: 'the map exists, as desired',
        type: deployment,
        body: { spec: podSpec({ containers: [container], securityContext: {} }) },
        by: { patch: { spec: { template: { spec: { securityContext: { runAsUser: 1 } } } } } },
      },
      'a field beside an empty value of ours that it does not contradict': {
        reason: 'the server would accept it beside any value',
        type: deployment,
        body: {
          spec: { ...podSpec({ containers: [{ ...container, tty: false }] }), paused: false },
        },
        by: {
          as: 'strategic',
          patch: {
            spec: {
              minReadySeconds: 5,
              template: { spec: { containers: [{ name: 'a', stdin: true }] } },
            },
          },
        },
      },
      'the same quantity in another notation': {
        reason: 'the quantity is stored as we wrote it, or as they did',
        type: deployment,
        body: {
          spec: podSpec({ containers: [{ ...container, resources: { limits: { cpu: '500m' } } }] }),
        },
        by: {
          as: 'strategic',
          patch: {
            spec: {
              template: {
                spec: { containers: [{ name: 'a', resources: { limits: { cpu: '0.5' } } }] },
              },
            },
          },
        },
      },
    };
    it.each(casesOf(additions))('is no drift if it only adds %s', async (_, { type, body, by }) => {
      await start(type, body);
      await ground.api.patch(type, 'one', by.patch, { as: by.as ?? 'merge' });
      expect(await run()).toEqual([]);
    });
  });

  describe('a value that the server stores differently', () => {
    it.each([
      ['base64 with a line break', secret, { data: { a: 'eA==\n' } }],
      [
        'a quantity in another notation',
        deployment,
        {
          spec: podSpec({
            containers: [{ ...container, resources: { limits: { memory: '1024Mi' } } }],
          }),
        },
      ],
      [
        'an empty list that the server creates with each apply',
        networkPolicy,
        { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [] } },
      ],
      [
        'a default in an atomic map',
        deployment,
        {
          spec: podSpec({
            containers: [
              {
                ...container,
                env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
              },
            ],
          }),
        },
      ],
    ] as const)('is up to date, and drift is still found: %s', async (_, type, body) => {
      await start(type, body as JsonObject);
      await ground.api.patch(type, 'one', {
        metadata: { labels: { 'app.kubernetes.io/part-of': 'x' } },
      });
      expect((await run())[0]).toBe(`apply ${type.plural}`);
      expect(await run()).toEqual([]);
    });
  });

  const tangles: Record<string, Omit<Edit, 'reason'> & { readonly next?: JsonObject }> = {
    'requests above our limit': {
      type: deployment,
      body: {
        spec: podSpec({ containers: [{ ...container, resources: { limits: { cpu: '500m' } } }] }),
      },
      by: {
        as: 'strategic',
        patch: {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } },
                ],
              },
            },
          },
        },
      },
    },
    'a lower limit of an init container': {
      type: deployment,
      body: {
        spec: podSpec({
          containers: [container],
          initContainers: [{ name: 'b', image: 'b:1', resources: { requests: { cpu: '1' } } }],
        }),
      },
      by: {
        as: 'strategic',
        patch: {
          spec: {
            template: {
              spec: {
                initContainers: [
                  { name: 'b', resources: { requests: { cpu: '100m' }, limits: { cpu: '200m' } } },
                ],
              },
            },
          },
        },
      },
    },
    'no surge together with no unavailable pod': {
      type: deployment,
      body: {
        spec: {
          ...podSpec({ containers: [container] }),
          strategy: { rollingUpdate: { maxUnavailable: 0 } },
        },
      },
      by: { patch: { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } } } },
    },
    'a source beside our empty text': {
      type: deployment,
      body: {
        spec: podSpec({ containers: [{ ...container, env: [{ name: 'A', value: '' }] }] }),
      },
      by: {
        as: 'strategic',
        patch: {
          spec: {
            template: {
              spec: {
                containers: [
                  {
                    name: 'a',
                    env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
                  },
                ],
              },
            },
          },
        },
      },
    },
    'another type of a volume': {
      type: deployment,
      body: {
        spec: podSpec({
          containers: [container],
          volumes: [{ name: 'v', configMap: { name: 'c' } }],
        }),
      },
      by: {
        as: 'strategic',
        patch: {
          spec: {
            template: {
              spec: { volumes: [{ name: 'v', configMap: null, secret: { secretName: 's' } }] },
            },
          },
        },
      },
    },
    'a volume without a source that becomes a host path': {
      type: deployment,
      body: {
        spec: podSpec({ containers: [container], volumes: [{ name: 'tmp', emptyDir: {} }] }),
      },
      by: {
        as: 'json',
        patch: [
          { op: 'remove', path: '/spec/template/spec/volumes/0/emptyDir' },
          { op: 'add', path: '/spec/template/spec/volumes/0/hostPath', value: { path: '/etc' } },
        ],
      },
    },
    'a profile of another type': {
      type: deployment,
      body: {
        spec: podSpec({
          containers: [container],
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        }),
      },
      by: {
        patch: {
          spec: {
            template: {
              spec: {
                securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'p' } },
              },
            },
          },
        },
      },
    },
    'the other bound of a budget': {
      type: podDisruptionBudget,
      body: { spec: { selector: { matchLabels: labels }, minAvailable: 1 } },
      by: { patch: { spec: { minAvailable: null, maxUnavailable: 1 } } },
    },
    'a load balancer with ranges': {
      type: service,
      body: { spec: { type: 'ClusterIP', selector: labels, ports: [{ port: 80 }] } },
      by: { patch: { spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] } } },
    },
    'other numbers of all named ports': {
      type: service,
      body: { spec: { selector: labels, ports: portsNamed('port', 'a', 'b') } },
      by: { as: 'json', patch: renumbered('/spec/ports', 'port', 0, 1) },
    },
    'other numbers of two of three named ports': {
      type: service,
      body: { spec: { selector: labels, ports: portsNamed('port', 'grpc', 'http', 'otlp-grpc') } },
      by: { as: 'json', patch: renumbered('/spec/ports', 'port', 0, 2) },
    },
    'other numbers of two of three named ports of a container': {
      type: deployment,
      body: {
        spec: podSpec({
          containers: [{ ...container, ports: portsNamed('containerPort', 'a', 'b', 'c') }],
        }),
      },
      by: {
        as: 'json',
        patch: renumbered('/spec/template/spec/containers/0/ports', 'containerPort', 0, 2),
      },
    },
    'another handler of a probe': {
      type: deployment,
      body: {
        spec: podSpec({
          containers: [{ ...container, readinessProbe: { httpGet: { path: '/', port: 80 } } }],
        }),
      },
      by: {
        as: 'json',
        patch: [
          { op: 'remove', path: '/spec/template/spec/containers/0/readinessProbe/httpGet' },
          {
            op: 'add',
            path: '/spec/template/spec/containers/0/readinessProbe/tcpSocket',
            value: { port: 80 },
          },
        ],
      },
    },
    'a rolling update together with another strategy': {
      type: deployment,
      body: { spec: { ...podSpec({ containers: [container] }), strategy: { type: 'Recreate' } } },
      by: {
        patch: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      },
    },
    'a field in a part that a new version drops': {
      type: deployment,
      body: {
        spec: podSpec({
          containers: [{ ...container, livenessProbe: { httpGet: { path: '/', port: 80 } } }],
        }),
      },
      next: { spec: podSpec({ containers: [container] }) },
      by: {
        as: 'strategic',
        patch: {
          spec: {
            template: {
              spec: { containers: [{ name: 'a', livenessProbe: { timeoutSeconds: 7 } }] },
            },
          },
        },
      },
    },
  };

  describe('an apply that the server refuses because of fields of others', () => {
    it.each(Object.entries(tangles))('%s', async (_, { type, body, by, next }) => {
      await start(type, body);
      await ground.api.patch(type, 'one', by.patch, { as: by.as ?? 'merge' });
      if (next !== undefined) desired = { type, body: next };
      expect(await run()).toContain(`patch ${type.plural}`);
      expect(await run()).toEqual([]);
      const after = (await live()) as unknown as JsonObject;
      await ground.api.remove(holder, 'one');
      await ground.api.remove(type, 'one');
      await start(type, next ?? body);
      const anew = (await live()) as unknown as JsonObject;
      expect(withoutAllocated(after.spec)).toEqual(withoutAllocated(anew.spec));
    });
  });

  describe('an edit', () => {
    it.each([
      ['of the notation alone', { limits: { cpu: '500m' } }, { limits: { cpu: '0.5' } }, []],
      [
        'of the quantity',
        { limits: { cpu: '500m' } },
        { limits: { cpu: '1' } },
        ['apply deployments', 'create events', 'apply holders/status'],
      ],
    ])('%s', async (_, first, second, want) => {
      const bodyWith = (resources: JsonObject) => ({
        spec: podSpec({ containers: [{ ...container, resources }] }),
      });
      await start(deployment, bodyWith(first));
      desired = { type: deployment, body: bodyWith(second) };
      const writes = await run();
      expect(writes.filter((one) => one !== 'apply holders/status')).toEqual(
        want.filter((one) => one !== 'apply holders/status'),
      );
      expect(await run()).toEqual([]);
    });

    it('of the order only is applied', async () => {
      const bodyWith = (...names: readonly string[]) => ({
        spec: podSpec({ containers: [container], initContainers: init(...names) }),
      });
      await start(deployment, bodyWith('seed', 'migrate'));
      desired = { type: deployment, body: bodyWith('migrate', 'seed') };
      expect((await run())[0]).toBe('apply deployments');
      const { spec } = (await live()) as unknown as {
        readonly spec: {
          readonly template: {
            readonly spec: { readonly initContainers: readonly { readonly name: string }[] };
          };
        };
      };
      expect(spec.template.spec.initContainers.map(({ name }) => name)).toEqual([
        'migrate',
        'seed',
      ]);
      expect(await run()).toEqual([]);
    });
  });

  describe('a record that our managedFields entry does not hold', () => {
    it('hides nothing', async () => {
      await start(configMap, { data: { a: 'b' } });
      const { metadata } = await live();
      await ground.api.patch(configMap, 'one', { data: { a: 'c' } });
      const { managedFields } = metadata;
      await ground.api.patch(configMap, 'one', { metadata: { managedFields } });
      const { stored } = observeChild(configMap, await live(), { identity: defaultIdentity });
      const { status } = (await ground.api.get(holder, 'one')) as unknown as Held;
      const [text = ''] = status.lastApplied.children;
      const children = [[...text.split('.').slice(0, 3), stored].join('.')];
      const forged = { status: { lastApplied: { ...status.lastApplied, children } } };
      await ground.api.patch(holder, 'one', forged, { subresource: 'status' });
      expect(await run()).toContain('apply configmaps');
      expect(await live()).toMatchObject({ data: { a: 'b' } });
      expect(await run()).toEqual([]);
    });
  });

  describe('a lost status', () => {
    it('is written again, and the child is not', async () => {
      await start(configMap, { data: { a: 'b' } });
      const status = { lastApplied: null };
      await ground.api.patch(holder, 'one', { status }, { subresource: 'status' });
      expect(await run()).toEqual(['apply holders/status']);
      expect(await run()).toEqual([]);
    });
  });

  describe('a comparison', () => {
    it('by a dry run is made once a day, and finds drift that a forged record hides', async () => {
      await start(configMap, { data: { a: 'b' } });
      const { metadata } = await live();
      await ground.api.patch(configMap, 'one', { data: { a: 'c' } });
      const { managedFields } = metadata;
      await ground.api.patch(configMap, 'one', { metadata: { managedFields } });
      const { stored } = observeChild(configMap, await live(), { identity: defaultIdentity });
      const { status } = (await ground.api.get(holder, 'one')) as unknown as Held;
      const [text = ''] = status.lastApplied.children;
      const forged = [...text.split('.').slice(0, 3), stored].join('.');
      await setApplied({ children: [forged] });
      expect(await run()).toEqual([]);
      await setApplied({ comparedAt: yesterday() });
      expect(await run()).toContain('apply configmaps');
      expect(await live()).toMatchObject({ data: { a: 'b' } });
      expect(await run()).toEqual([]);
    });

    it.each(['resync', 'request'] as const)(
      'of unchanged children costs one request for each, and one status write (%s)',
      async (trigger) => {
        await start(configMap, { data: { a: 'b' } });
        await setApplied({ comparedAt: yesterday() });
        expect(await run({ trigger })).toEqual(['apply holders/status']);
        expect(asked).toEqual({ gets: 0, dryRuns: 1 });
        expect(await run({ trigger })).toEqual([]);
      },
    );
  });

  it('drift after an edit without an effect is repaired as drift', async () => {
    const bodyWith = (cpu: string) => ({
      spec: podSpec({ containers: [{ ...container, resources: { limits: { cpu } } }] }),
    });
    await start(deployment, bodyWith('500m'));
    desired = { type: deployment, body: bodyWith('0.5') };
    expect(await run()).toEqual(['apply holders/status']);
    const image = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'c:9' }];
    await ground.api.patch(deployment, 'one', image, { as: 'json' });
    await run({ rollout: { budget: () => 0, timeoutMs: 60_000, failures: 0 } });
    const reasons = (await ground.api.list(eventType)).map(
      (event) => (event as unknown as JsonObject).reason,
    );
    expect(reasons).toEqual(['Repaired']);
  });
}
