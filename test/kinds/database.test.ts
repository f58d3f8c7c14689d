import { describe, expect, it } from 'vitest';
import type { Findings } from '../../shared/kinds/kind.ts';
import { impactOf } from '../../shared/plan/decision/decision-impact.ts';
import { database } from '../../systems/database.ts';
import { casesOf } from '../support/cases.ts';
import { findingsOf } from '../support/findings.ts';
import { updateOf } from '../support/impacts.ts';
import { childOf, childrenOf, listed } from '../support/kinds.ts';

const given = { databaseName: 'mydb', username: 'admin', storage: { size: '10Gi' } };
const labels = { app: 'database', database: 'shop' };
const children = (spec: object = {}, over?: object) =>
  childrenOf(database, { ...given, ...spec }, over);

const fromSecret = (name: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: 'shop-credentials', key } },
});

interface Sizes {
  readonly image?: string;
  readonly replicas?: number;
  readonly claim?: object;
  readonly container?: object;
}

const statefulSetSpec = ({ image = 'postgres:14', replicas = 1, claim, container }: Sizes) => ({
  serviceName: 'shop',
  replicas,
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: {
      containers: [
        {
          name: 'postgres',
          image,
          imagePullPolicy: 'IfNotPresent',
          ports: [{ name: 'postgres', containerPort: 5432, protocol: 'TCP' }],
          env: [
            fromSecret('POSTGRES_USER', 'username'),
            fromSecret('POSTGRES_PASSWORD', 'password'),
            fromSecret('POSTGRES_DB', 'database'),
            { name: 'PGDATA', value: '/var/lib/postgresql/data/pgdata' },
          ],
          volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
          readinessProbe: {
            exec: {
              command: [
                'sh',
                '-c',
                'pg_isready -h 127.0.0.1 -p 5432 -U "$POSTGRES_USER" -d "$POSTGRES_DB"',
              ],
            },
          },
          ...container,
        },
      ],
    },
  },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '10Gi' } },
        ...claim,
      },
    },
  ],
});

const resources = { requests: { cpu: 1, memory: '1024Mi' }, limits: { cpu: '1500m' } };
const cases: Record<string, { reason: string; given: object; want: Sizes }> = {
  'D-1 Defaults': { reason: 'omitted fields have defaults', given: {}, want: {} },
  'D-2 Image': {
    reason: 'the image changes alone',
    given: { image: 'postgres:15' },
    want: { image: 'postgres:15' },
  },
  'D-2 Together': {
    reason: 'the image changes together with the replicas',
    given: { image: 'postgres:15', replicas: 3 },
    want: { image: 'postgres:15', replicas: 3 },
  },
  StorageClass: {
    reason: 'the class becomes part of the claim',
    given: { storage: { size: '10Gi', storageClass: 'fast' } },
    want: { claim: { storageClassName: 'fast' } },
  },
  NoStorageClass: {
    reason: 'an empty class differs from an omitted one',
    given: { storage: { size: '10Gi', storageClass: '' } },
    want: { claim: { storageClassName: '' } },
  },
  Resources: {
    reason: 'resources are copied',
    given: { resources },
    want: { container: { resources } },
  },
};

describe('the StatefulSet of a Database', () => {
  it.each(casesOf(cases))('%s', (_, { given: spec, want }) => {
    const statefulSet = childOf(children(spec), 'StatefulSet');
    expect(statefulSet).toMatchObject({ name: 'shop', labels });
    expect(statefulSet.body).toEqual({ spec: statefulSetSpec(want) });
  });

  it('D-4 needs the Secret', () => {
    expect(childOf(children(), 'StatefulSet').needs).toMatchObject([
      { type: { kind: 'Secret' }, name: 'shop-credentials' },
    ]);
  });
});

describe('the other children of a Database', () => {
  it('C-1 are three, the Secret first', () => {
    expect(listed(children())).toEqual([
      'Secret shop-credentials',
      'StatefulSet shop',
      'Service shop',
    ]);
  });

  it('D-3 D-4 are a Secret whose password is generated once, for as long as data depends on it', () => {
    const secret = childOf(children(), 'Secret');
    expect(secret.body).toEqual({
      data: {
        username: Buffer.from('admin').toString('base64'),
        database: Buffer.from('mydb').toString('base64'),
      },
    });
    expect(secret.onCollision).toBe('adopt-if-unowned');
    expect(secret.generated).toMatchObject({
      keys: ['password'],
      usedBy: [
        { type: { kind: 'StatefulSet' }, name: 'shop' },
        { type: { kind: 'PersistentVolumeClaim' }, name: 'data-shop-0' },
      ],
    });
    expect(Object.values(database.reads).map(({ type }) => type.plural)).toEqual([
      'persistentvolumeclaims',
    ]);
  });

  it('are a Service for the pods', () => {
    expect(childOf(children(), 'Service').body).toEqual({
      spec: {
        type: 'ClusterIP',
        selector: labels,
        ports: [{ name: 'postgres', port: 5432, protocol: 'TCP', targetPort: 'postgres' }],
      },
    });
  });
});

describe('names of a Database', () => {
  it.each([
    ['Longest', 'n'.repeat(52), 'n'.repeat(52), 'n'.repeat(52)],
    ['DigitFirst', '1db', '1db', /^db-[0-9a-f]{10}$/],
    ['Dot', 'my.db', /^my-db-[0-9a-f]{10}$/, /^my-db-[0-9a-f]{10}$/],
    ['LongDot', `${'n'.repeat(49)}.db`, /^n{41}-[0-9a-f]{10}$/, /^n{49}-db-[0-9a-f]{10}$/],
  ])('C-12 %s', (_, name, statefulSet, service) => {
    const made = children({}, { name });
    const set = childOf(made, 'StatefulSet');
    expect(set.name).toMatch(statefulSet);
    expect(childOf(made, 'Service').name).toMatch(service);
    expect(set.body).toMatchObject({ spec: { serviceName: childOf(made, 'Service').name } });
    expect(childOf(made, 'Secret').generated?.usedBy.map((held) => held.name)).toEqual([
      set.name,
      `data-${set.name}-0`,
    ]);
  });
});

const stateful = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'shop',
  facts: { readyReplicas: 1 },
  upToDate: true,
  readiness: { state: 'Current' as const },
};
const endpoint = 'shop.team.svc.cluster.local:5432';
const statuses: Record<string, { reason: string; given: Partial<Findings>; want: object }> = {
  Ready: {
    reason: 'all children are ready',
    given: { state: 'Ready', children: [stateful] },
    want: { phase: 'Ready', ready: true, readyReplicas: 1, endpoint },
  },
  Creating: {
    reason: 'the pods are starting',
    given: { state: 'Reconciling', children: [stateful] },
    want: { phase: 'Creating', ready: false, readyReplicas: 1 },
  },
  Pending: {
    reason: 'there is no child yet',
    given: { state: 'Reconciling', children: [] },
    want: { phase: 'Pending', ready: false, readyReplicas: 0 },
  },
  Failed: {
    reason: 'it failed, whatever exists',
    given: { state: 'Stalled', children: [stateful] },
    want: { phase: 'Failed', ready: false, readyReplicas: 1 },
  },
};

describe('status of a Database', () => {
  it.each(casesOf(statuses))('D-7 %s', (_, { given: found, want }) => {
    const findings = findingsOf({ name: 'shop', namespace: 'team', ...found });
    expect(database.ownStatus(findings).fields).toEqual({
      secretName: 'shop-credentials',
      ...want,
    });
  });

  it('D-7 names the live Service', () => {
    const name = '1db';
    const found = findingsOf({ name, namespace: 'team' });
    const service = childOf(children({}, { name }), 'Service').name;
    expect(database.ownStatus(found).fields.endpoint).toBe(
      `${service}.team.svc.cluster.local:5432`,
    );
  });
});

describe('D-2 the plan of a Database', () => {
  const [, servers] = database.owns;
  const image = 'spec.template.spec.containers[name="postgres"].image';
  const impact = (path: string, from: string | number, to: string | number) =>
    impactOf(
      updateOf(servers as (typeof database.owns)[number], { fields: { [path]: [from, to] } }),
    );

  it.each([
    ['postgres:14', 'postgres:15'],
    ['postgres:14.2-alpine', 'registry.example.com:5000/postgres:16.1'],
    ['postgres:14', 'postgres:latest'],
    ['postgres:14@sha256:15ab', 'postgres:15@sha256:15ab'],
  ])('warns that the data is at risk from %s to %s', (from, to) => {
    expect(impact(image, from, to)).toEqual(['data-loss', 'restart']);
  });

  it.each([
    ['postgres:14', 'postgres:14.2-alpine'],
    ['postgres:14', 'registry.example.com:5000/postgres:14'],
    ['postgres@sha256:14ab', 'postgres@sha256:15ab'],
  ])('does not warn from %s to %s', (from, to) => {
    expect(impact(image, from, to)).toEqual(['restart']);
  });

  it('warns that a further server responds with data of its own', () => {
    expect(impact('spec.replicas', 1, 3)).toEqual(['reroute']);
    expect(impact('spec.replicas', 3, 1)).toEqual(['reduce']);
  });
});
