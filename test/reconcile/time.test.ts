import { expect, test } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  type IsPast,
  nameAtMost,
  service,
  Type,
} from '../../index.ts';
import { createTestEnvironment, expectConverged, expectReliable } from '../../testing/index.ts';

const hour = 3_600_000;

/** A test environment that lives for `hours`, and stops its pods at a time of the spec. */
const review = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Review',
  plural: 'reviews',
  spec: Type.Object({
    hours: Type.Integer({ minimum: 1, maximum: 1000, default: 8 }),
    stopsAt: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  status: { expired: Type.Boolean(), endsSoon: Type.Boolean() },
  rules: [nameAtMost(40)],
  samples: [{ name: 'one', spec: {} }],
  owns: [configMap, deployment],
  children({ name, createdAt, spec: { hours, stopsAt }, isPast }) {
    if (isPast(new Date(Date.parse(createdAt) + hours * hour))) return [];
    const replicas = stopsAt !== undefined && isPast(stopsAt) ? 0 : 2;
    const labels = { app: name };
    const containers = [{ name: 'web', image: 'registry.example/web:1' }];
    return [
      child(configMap, { name, body: { data: { hours: String(hours) } } }),
      child(deployment, {
        name,
        body: {
          spec: {
            replicas,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers } },
          },
        },
      }),
    ];
  },
  statusOf({ createdAt, spec, children, isPast }) {
    const { hours = 0 } = spec ?? {};
    const warnsAt = new Date(Date.parse(createdAt) + (hours - 1) * hour);
    return { expired: children.length === 0, endsSoon: isPast(warnsAt) };
  },
});

async function openAt(start: string, environment: Readonly<Record<string, string>> = {}) {
  const begun = Date.parse(start);
  let passed = 0;
  const clock = () => new Date(begun + passed);
  const env = await createTestEnvironment({ kinds: [review] }, { clock, environment });
  const pass = (ms: number) => {
    passed += ms;
  };
  // A daily comparison may write the status.
  const writes = () => env.requests().filter((one) => one.isWrite && one.resource !== 'reviews');
  return { env, writes, pass };
}

test('children follow the time: they go at the first resync after it, and not before', async () => {
  const { env, writes, pass } = await openAt('2026-03-01T08:00:00Z');
  await using _ = env;
  await env.apply(review, { name: 'one', spec: { hours: 8 } });
  await env.resync();
  await env.resync();
  const { creationTimestamp } = (await env.get(review, 'one'))!.metadata;
  expect((await env.get(review, 'one'))?.status).toMatchObject({
    expired: false,
    endsSoon: false,
    lastApplied: { until: new Date(Date.parse(creationTimestamp!) + 8 * hour).toISOString() },
  });
  pass(7.9 * hour);
  writes();
  await env.resync();
  expect(writes()).toEqual([]);
  expect((await env.get(review, 'one'))?.status).toMatchObject({ expired: false, endsSoon: true });
  pass(0.2 * hour);
  await env.resync();
  expect(await env.children(review, 'one')).toEqual([]);
  const { Ready } = await env.conditions(review, 'one');
  expect(Ready).toMatchObject({ status: 'True' });
  writes();
  pass(hour);
  await env.resync();
  expect(writes()).toEqual([]);
  expect((await env.get(review, 'one'))?.status).toMatchObject({ expired: true });
});

test('a change that the time causes waits in no rollout, and is no repair', async () => {
  const { env, pass } = await openAt('2026-03-01T08:00:00Z', { ROLLOUT_BUDGET: '1' });
  await using _ = env;
  const names = ['one', 'two', 'three'];
  for (const name of names)
    await env.apply(review, { name, spec: { stopsAt: '2026-03-01T10:00:00Z' } });
  await env.resync();
  await env.resync();
  pass(2.1 * hour);
  const report = await env.resync();
  expect(report.failures).toEqual([]);
  for (const name of names) {
    expect((await env.get(deployment, name))?.spec).toMatchObject({ replicas: 0 });
    const events = await env.events(review, name);
    expect(events.map(({ reason }) => reason)).not.toContain('Repaired');
  }
});

test('any number of resources may expire at once', async () => {
  const { env, pass } = await openAt('2026-03-01T08:00:00Z', { PRUNE_LIMIT: '0' });
  await using _ = env;
  for (const name of ['one', 'two', 'three']) await env.apply(review, { name });
  await env.resync();
  await env.resync();
  pass(8.1 * hour);
  await env.resync();
  expect(await env.list(deployment)).toEqual([]);
});

/** Stands for the code of `office`; `deployAtSix` replaces it. */
const code = { image: 'a:1', web: true };

/** Stops its worker at a time; its web server does not depend on the time. */
const office = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Office',
  plural: 'offices',
  spec: Type.Object({}),
  rules: [nameAtMost(40)],
  samples: [{ name: 'one', spec: {} }],
  owns: [deployment],
  children: ({ name, isPast }) =>
    ['worker', ...(code.web ? ['web'] : [])].map((part) => {
      const labels = { app: `${name}-${part}` };
      const replicas = part === 'worker' && isPast('2026-03-01T18:00:00Z') ? 0 : 1;
      const containers = [{ name: part, image: code.image }];
      const template = { metadata: { labels }, spec: { containers } };
      const spec = { replicas, selector: { matchLabels: labels }, template };
      return child(deployment, { name: `${name}-${part}`, body: { spec } });
    }),
});

async function deployAtSix(next: typeof code, environment: Readonly<Record<string, string>>) {
  Object.assign(code, { image: 'a:1', web: true });
  let now = '2026-03-01T17:00:00Z';
  const clock = () => new Date(now);
  const env = await createTestEnvironment({ kinds: [office] }, { clock, environment });
  for (const name of ['one', 'two', 'three']) await env.apply(office, { name });
  await env.resync();
  await env.resync();
  Object.assign(code, next);
  now = '2026-03-01T18:01:00Z';
  await env.resync();
  return env;
}

test('a time brings no new code to a child that does not depend on it', async () => {
  await using env = await deployAtSix({ image: 'a:2', web: true }, { ROLLOUT_BUDGET: '1' });
  const found = await env.list(deployment);
  expect(found.filter(({ spec }) => spec?.replicas === 0)).toHaveLength(3);
  const servers = found.filter(({ metadata }) => metadata.name.endsWith('web'));
  expect(servers.filter((one) => JSON.stringify(one.spec).includes('a:2'))).toHaveLength(1);
});

test('a time lifts the limit of deletions only for what it ends', async () => {
  await using env = await deployAtSix({ image: 'a:1', web: false }, { PRUNE_LIMIT: '0' });
  expect(await env.list(deployment)).toHaveLength(6);
});

test('an audit event before the time changes nothing', async () => {
  const { env, writes } = await openAt('2026-03-01T08:00:00Z');
  await using _ = env;
  await env.apply(review, { name: 'one' });
  await env.deliver();
  await env.resync();
  writes();
  await env.deliver();
  await env.resync();
  expect(writes()).toEqual([]);
});

test('a run that began before the time undoes nothing that another one did after it', async () => {
  const { env, pass } = await openAt('2026-03-01T08:00:00Z');
  await using _ = env;
  await env.apply(review, { name: 'one' });
  await env.resync();
  await env.resync();
  pass(8 * hour - 60_000);
  let lists = 0;
  env.cluster.intercept(async ({ verb, resource }) => {
    if (verb !== 'list' || resource !== 'deployments' || lists++ > 0) return;
    pass(120_000);
    await env.delete(deployment, 'one');
    await env.delete(configMap, 'one');
  });
  await env.resync();
  expect(lists).toBeGreaterThan(0);
  expect(await env.children(review, 'one')).toEqual([]);
});

test('a conflict after the time is decided by the time of the conflict', async () => {
  const { env, pass } = await openAt('2026-03-01T08:00:00Z');
  await using _ = env;
  await env.apply(review, { name: 'one' });
  await env.resync();
  await env.resync();
  await env.patch(deployment, 'one', { body: { spec: { replicas: 5 } } });
  pass(8 * hour - 60_000);
  let writes = 0;
  env.cluster.intercept(async ({ verb, resource }) => {
    if (verb !== 'patch' || resource !== 'deployments' || writes++ > 0) return;
    pass(120_000);
    await env.delete(deployment, 'one');
    await env.delete(configMap, 'one');
  });
  await env.resync();
  expect(writes).toBeGreaterThan(0);
  expect(await env.children(review, 'one')).toEqual([]);
});

test('something that is no time is named', async () => {
  const broken = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Broken',
    plural: 'brokens',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    children: ({ isPast }) => (isPast('tomorrow') ? [] : []),
  });
  const env = await createTestEnvironment({ kinds: [broken] });
  await using _ = env;
  await env.apply(broken, { name: 'one' });
  await env.resync();
  const { Stalled } = await env.conditions(broken, 'one');
  expect(Stalled?.message).toMatch(
    /isPast: tomorrow is not a time such as 2026-01-31T00:00:00Z at .*time\.test\.ts/,
  );
});

/** A kind that has a Service in place of a ConfigMap after `hours`, or after a fixed time. */
const swap = (port: number, isFollowed = true) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Swap',
    plural: 'swaps',
    spec: Type.Object({ hours: Type.Integer({ minimum: 1, maximum: 1000, default: 8 }) }),
    rules: [nameAtMost(40)],
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap, service],
    children({ name, createdAt, spec: { hours }, isPast }) {
      const until = new Date(Date.parse(createdAt) + (isFollowed ? hours : 8) * hour);
      const spec = { selector: { app: name }, ports: [{ port, protocol: 'TCP' }] };
      return isPast(until)
        ? [child(service, { name, body: { spec } })]
        : [child(configMap, { name, body: {} })];
    },
  });

test('expectReliable tries each spec as if the time had come', async () => {
  await expectReliable(swap(80), { seconds: 3, seed: 1 });
  await expect(expectReliable(swap(70_000), { seconds: 3, seed: 1 })).rejects.toThrow(
    /Service .*spec\.ports\[0\]\.port/,
  );
  await expect(expectReliable(swap(80, false), { seconds: 30, seed: 1 })).rejects.toThrow(
    /spec\.hours: \d+ edits of this field changed no child/,
  );
});

test('a kind that depends on the time keeps the laws', async () => {
  await expectConverged(review);
  await expectReliable(review, { seconds: 5, seed: 1 });
});

const windowed = (stray: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Window',
    plural: 'windows',
    spec: Type.Object({
      from: Type.String({ format: 'date-time' }),
      to: Type.String({ format: 'date-time' }),
      text: Type.String({ default: 'closed' }),
    }),
    rules: [nameAtMost(40)],
    samples: [{ name: 'one', spec: { from: '2100-01-01T00:00:00Z', to: '2100-02-01T00:00:00Z' } }],
    owns: [configMap],
    children: ({ name, spec: { from, to, text }, isPast }) =>
      !isPast(from) || isPast(to)
        ? []
        : [child(configMap, { name: `${name}${stray}`, body: { data: { text } } })],
  });

test('what a kind wants only between two times is tried, too', async () => {
  await expectReliable(windowed(''), { seconds: 3, seed: 1 });
  await expect(expectReliable(windowed('_'), { seconds: 3, seed: 1 })).rejects.toThrow(/one_/);
});

test('a resource that has no children yet remembers when it will have some', async () => {
  const window = windowed('');
  await using env = await createTestEnvironment({ kinds: [window] });
  await env.apply(window, {
    name: 'one',
    spec: { from: '2100-01-01T00:00:00Z', to: '2100-02-01T00:00:00Z' },
  });
  await env.resync();
  const { status } = (await env.get(window, 'one'))!;
  expect(status).toMatchObject({ lastApplied: { until: '2100-01-01T00:00:00.000Z' } });
  env.requests();
  await env.resync();
  expect(env.requests().filter((one) => one.isWrite)).toEqual([]);
});

/** Counts the periods that are over. */
function ended({ createdAt, isPast }: { createdAt: string; isPast: IsPast }, hours: number) {
  let count = 0;
  while (isPast(new Date(Date.parse(createdAt) + (count + 1) * hours * hour))) count += 1;
  return count;
}

test('a kind may ask about each end of a period', async () => {
  const periodic = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Period',
    plural: 'periods',
    spec: Type.Object({ hours: Type.Integer({ minimum: 1, maximum: 1000, default: 8 }) }),
    rules: [nameAtMost(40)],
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    status: { count: Type.Integer() },
    children: ({ name, spec, ...input }) => [
      child(configMap, { name, body: { data: { count: `${ended(input, spec.hours)}` } } }),
    ],
    statusOf: ({ spec, ...input }) => ({ count: ended(input, spec?.hours ?? 8) }),
  });
  await expectReliable(periodic, { seconds: 3, seed: 1 });
});

test('children may contain the creation time', async () => {
  const dated = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Dated',
    plural: 'dateds',
    spec: Type.Object({ text: Type.String({ default: 'a' }) }),
    rules: [nameAtMost(40)],
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    children: ({ name, createdAt, spec: { text } }) =>
      ['a', 'b', 'c'].map((part) =>
        child(configMap, { name: `${name}-${part}`, body: { data: { createdAt, text } } }),
      ),
  });
  await expectReliable(dated, { seconds: 5, seed: 1 });
});
