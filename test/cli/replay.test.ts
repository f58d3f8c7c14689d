import { copyFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { child } from '../../shared/kinds/child.ts';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { configMap, secret, service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { database } from '../../systems/database.ts';
import { website } from '../../systems/website.ts';
import { shelfKind } from '../recordings/shelf.ts';
import { kinds as own } from '../support/config.ts';
import { shop } from '../support/shop.ts';
import { type CliGround, type How, openCliGround } from './command-runner.ts';

const kinds = [...own, shop];

let ground: CliGround;
let file = '';
const run = (argv: readonly string[], how: How = {}) => ground.run(argv, { kinds, ...how });

beforeAll(async () => {
  ground = await openCliGround({ kinds });
  file = join(ground.directory, 'run.jsonl');
});
afterAll(() => ground.stop());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Creates resources that are up to date, except for a scaled Deployment and a deleted Service. */
beforeEach(async () => {
  const { api } = ground;
  for (const type of [...kinds, deployment, statefulSet, service, secret])
    for (const { metadata } of await api.list(type)) await api.remove(type, metadata.name);
  await api.create(secret, 'token', {
    metadata: {
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"plain"}' },
    },
    data: { token: base64('open sesame') },
  });
  await api.create(secret, 'other', { data: { token: base64('another one') } });
  await api.create(shop, 'one', { spec: { tokens: ['token'] } });
  await api.create(shop, 'two', { spec: { tokens: ['token', 'other', 'none'] } });
  await api.create(application, 'greeter', { spec: { greeting: 'Bonjour' } });
  await createDatabase('db');
  await api.create(website, 'web', { spec: { imageTag: 'v1' } });
  await run(['resync']);
  await api.patch(deployment, 'web', { spec: { replicas: 5 } }, { manager: 'kubectl' });
  await api.remove(service, 'web');
});

const createDatabase = (name: string) =>
  ground.api.create(database, name, {
    spec: {
      image: 'postgres:15',
      storage: { size: '1Gi' },
      databaseName: 'mydb',
      username: 'admin',
    },
  });

const record = async (...more: readonly string[]) => {
  const output = await run(['resync', '--record', file, ...more]);
  expect(output).toMatchObject({ code: 0 });
  return output;
};

const linesOf = async (): Promise<readonly JsonObject[]> =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Returns a version of a kind with changed children. */
const changed = (kind: Kind, change: (one: ReturnType<typeof child>) => object): Kind => ({
  ...kind,
  desired(resource, find) {
    const desired = kind.desired(resource, find);
    if ('invalid' in desired) return desired;
    return desired.map((one) => ({ ...one, ...change(one) }));
  },
});

const instead = (...others: readonly Kind[]): How => ({
  kinds: kinds.map((kind) => others.find((one) => one.kind === kind.kind) ?? kind),
});

/** A version of Website that annotates its pods. */
const restarting = changed(website, ({ type, body }) => {
  if (type.kind !== 'Deployment') return {};
  const { spec } = body as { readonly spec: { readonly template: { readonly metadata: object } } };
  const metadata = { ...spec.template.metadata, annotations: { new: 'yes' } };
  return { body: { spec: { ...spec, template: { ...spec.template, metadata } } } };
});

describe('resync --record', () => {
  it('stores the decisions, which equal those of a plan made before, and the writes', async () => {
    const plan = JSON.parse((await run(['plan', '-o', 'json'])).out).preview;
    const { err } = await record();
    expect(err).toContain(`Recorded in ${file}, without values of Secrets\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const lines = await linesOf();
    const decided = lines.filter(({ line }) => line === 'decided');
    expect(decided.map(({ resource }) => resource)).toEqual(plan.resources);
    expect(decided.length).toBeGreaterThan(0);
    const written = lines.filter(({ line }) => line === 'write');
    expect(written).toContainEqual({
      line: 'write',
      request: 'apply',
      type: 'services',
      namespace: 'default',
      name: 'web',
      manager: 'serverless-reconciler',
      lock: 'absent',
      resourceVersion: expect.any(String),
    });
    expect(lines[0]).toMatchObject({
      line: 'header',
      version: 6,
      server: 'v1.36.3',
      reconcileRequests: [{}],
    });
    expect(lines.at(-1)).toEqual({ line: 'end', lines: lines.length });
  });

  it('stores no value of a Secret: neither generated, read, derived nor in an annotation', async () => {
    await createDatabase('new');
    await ground.api.remove(deployment, 'greeter-deployment-microservice');
    await record();
    const text = await readFile(file, 'utf8');
    const secrets = await ground.api.list(secret);
    const values = secrets.flatMap(({ data }) => Object.values((data ?? {}) as JsonObject));
    expect(values.length).toBeGreaterThanOrEqual(4);
    for (const value of values) {
      expect(text).not.toContain(`${value}`);
      const plain = Buffer.from(`${value}`, 'base64').toString();
      // Values in a spec are no secrets.
      if (!['Bonjour', 'admin', 'mydb'].includes(plain)) expect(text).not.toContain(plain);
    }
    expect(text).not.toContain('\\"plain\\"');
    expect(text).toContain('"kubectl.kubernetes.io/last-applied-configuration":"masked:');
  });

  it('ends the run before it begins if the file cannot be written', async () => {
    ground.cluster.requests.reset();
    const { code, err } = await run(['resync', '--record', '/nonexistent/run.jsonl']);
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be written to \/nonexistent\/run.jsonl: .*choose another --record/);
    expect(ground.cluster.requests.list().filter(({ resource }) => resource !== '')).toEqual([]);
  });

  it('records a dry run, including the reads that its writes would cause', async () => {
    await run(['resync', '--record', file], { env: { DRY_RUN: 'true' } });
    expect((await linesOf()).filter(({ line }) => line === 'write')).toEqual([]);
    const { code, out } = await run(['replay', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/create +Service web/);
  });
});

describe('replay', () => {
  it('makes and shows the same decisions with the same code, without a cluster', async () => {
    await record();
    const env = { KUBECONFIG: '/nonexistent' };
    const { code, out, err } = await run(['replay', file], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Decided at 20.*Z, on Kubernetes v1.36.3, by version \d.*:$/m);
    expect(out).toMatch(
      /update +Deployment web +Website default\/web +spec.replicas 5 → 2, changed by/,
    );
    expect(out).toMatch(/^\d+ writes sent, 0 of them failed\.$/m);
    expect(out).toMatch(
      /This code makes the same decisions as the recorded code for 5 resources\.\n$/,
    );
    const data = JSON.parse((await run(['replay', file, '-o', 'json'], { env })).out);
    expect(data.recordings).toMatchObject([{ file, same: true, different: 0, now: [], total: 5 }]);
  });

  it('prints no server version for a recording of a function, which does not read it', async () => {
    await record();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"server":"v1.36.3"', '"server":"unknown"'));
    const { code, out } = await run(['replay', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Decided at 20.*Z, by version \d.*:$/m);
  });

  it('decides on new pods and Secrets by their digests, even if a kind reads several Secrets', async () => {
    await ground.api.patch(secret, 'other', { data: { token: base64('yet another') } });
    await ground.api.patch(secret, 'greeter-secret-greeting', { data: { more: 'eA==' } });
    await record();
    const { code, out } = await run(['replay', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/update +Deployment two +Shop default\/two .*secret changed/);
    expect(out).not.toMatch(/Deployment one/);
  });

  it('shows the decisions of another version of a kind, with impact and cause, and exits with 3', async () => {
    await record();
    await record();
    const { code, out } = await run(['replay', file], instead(restarting));
    expect(code).toBe(3);
    expect(out).toContain('decides differently from the recorded code for 1 of 5 resources.\n');
    const [, now = ''] = out.split('\nNow:\n');
    expect(now).toMatch(
      /update +Deployment web +Website default\/web +spec.template.metadata.annotations/,
    );
    expect(now).toContain("→ restarts pods, because the kind's code has changed");
    expect(now).toContain('Impact: restarts pods: 1 Deployment.');
    expect(now).not.toContain('Service');
    const markdown = await run(['replay', file, '-o', 'markdown'], instead(restarting));
    expect(markdown.out).toContain("restarts pods, because the kind's code has changed");
    const diff = await run(['replay', file, '-o', 'diff'], instead(restarting));
    expect(diff.out).toContain('+        new: yes');
  });

  it('ignores additional reads if the decisions are the same', async () => {
    await record();
    const more = { ...website, formerly: [configMap], owns: [...website.owns, configMap] };
    const { code, out } = await run(['replay', file], instead(more));
    expect(code).toBe(0);
    expect(out).toContain(
      'the recording lacks a list of configmaps, which the replay treats as empty',
    );
  });

  it('reports a kind that differs without changing a decision', async () => {
    await record();
    const other = { ...website, shortNames: ['site'] };
    const { code, out } = await run(['replay', file], instead(other));
    expect(code).toBe(0);
    expect(out).toMatch(/\nthe definition of Website differs from the recorded one\n$/);
  });

  it('notices a different value in a Secret without showing it', async () => {
    await record();
    await record();
    const loud = changed(application, ({ type }) =>
      type.kind === 'Secret' ? { body: { data: { GREETING_MESSAGE: base64('LOUD') } } } : {},
    );
    const { code, out } = await run(['replay', file], instead(loud));
    expect(code).toBe(3);
    expect(out).toMatch(
      /update +Secret greeter-secret-greeting .*data.GREETING_MESSAGE \(secret changed\)/,
    );
    expect(out).not.toContain(base64('LOUD'));
  });

  it('compares changes that a rollout delayed by their final state', async () => {
    const { api, cluster } = ground;
    // A claim of the StatefulSet would remain.
    await api.remove(database, 'db');
    await api.remove(statefulSet, 'db');
    for (const [at, name] of ['a', 'b'].entries())
      await api.create(website, name, { spec: { imageTag: 'v1', nodePort: 31001 + at } });
    for (let times = 0; times < 2; times++) {
      await run(['resync']);
      cluster.controllers.resume();
      await cluster.controllers.settled();
      cluster.controllers.pause();
    }
    await run(['resync']);
    const env = { ROLLOUT_BUDGET: '1' };
    const then = await run(['resync', '--record', file], { ...instead(restarting), env });
    expect(then).toMatchObject({ code: 0 });
    const same = await run(['replay', file], instead(restarting));
    expect(same.code).toBe(0);
    expect(same.out.match(/hold +Deployment/g)).toHaveLength(2);
    expect(same.out.match(/update +Deployment/g)).toHaveLength(1);
    const { code, out } = await run(['replay', file]);
    expect(code).toBe(3);
    expect(out).toContain('decides differently from the recorded code for 3 of 6 resources.\n');
    const [, noLonger = ''] = out.split('\nNo longer:\n');
    expect(noLonger).toContain('Impact: restarts pods: 3 Deployments.');
  });

  it('names objects and lists that the recording does not contain', async () => {
    await record();
    await record();
    const more: Kind = {
      ...changed(website, (one) => one),
      owns: [...website.owns, configMap],
      desired: (resource, find) => {
        const desired = website.desired(resource, find);
        if ('invalid' in desired) return desired;
        return [...desired, child(configMap, { name: 'web-config', body: { data: { a: 'b' } } })];
      },
    };
    const { code, out } = await run(['replay', file], instead(more));
    expect(code).toBe(3);
    expect(out).toMatch(/create +ConfigMap web-config/);
    expect(out).not.toContain('differs from the recorded one');
    expect(out).toContain(
      'the recording lacks a list of configmaps, which the replay treats as empty',
    );
    expect(out).toContain(
      'the recording lacks ConfigMap default/web-config, which the replay treats as absent',
    );
  });

  it('lists the writes that were refused', async () => {
    const { api } = ground;
    const nodePort = 31010;
    for (const name of ['c', 'd'])
      await api.create(website, name, { spec: { imageTag: 'v1', nodePort } });
    expect(await run(['resync', '--record', file])).toMatchObject({ code: 1 });
    const { code, out } = await run(['replay', file]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^\d+ writes sent, 1 of them failed\.\napply services default\/[cd]: Invalid: /m,
    );
  });

  it('prints a table for a directory, with a line per recording, even if one cannot be read', async () => {
    const directory = join(ground.directory, 'recordings');
    await mkdir(directory, { recursive: true });
    await record();
    await copyFile(file, join(directory, 'drift.jsonl'));
    await record();
    await copyFile(file, join(directory, 'rest.jsonl'));
    const whole = await run(['replay', directory]);
    expect(whole).toMatchObject({ code: 0, err: '' });
    expect(whole.out.split('\n').map((line) => line.split(/ {3,}/)[4])).toEqual([
      'DECISIONS',
      'same',
      'same',
      undefined,
    ]);
    await writeFile(join(directory, 'bad.jsonl'), 'nonsense\n');
    const { code, out, err } = await run(['replay', directory], instead(restarting));
    expect(code).toBe(1);
    expect(err).toMatch(/bad.jsonl, line 1: not a recording: .*resync --record/);
    expect(out).toMatch(/drift.jsonl +\S+ +v1.36.3 +5 +1 differ +restarts pods: 1 Deployment/);
    expect(out).toMatch(/rest.jsonl +\S+ +v1.36.3 +5 +1 differ +restarts pods: 1 Deployment/);
  });

  it('uses the recorded settings, unless the environment overrides them', async () => {
    await ground.api.remove(deployment, 'web');
    await run(['resync', '--record', file], { env: { NAMESPACES: 'default' } });
    expect((await linesOf())[0]).toMatchObject({ settings: { NAMESPACES: 'default' } });
    expect(await run(['replay', file])).toMatchObject({ code: 0 });
    const elsewhere = await run(['replay', file], { env: { NAMESPACES: 'elsewhere' } });
    expect(elsewhere.code).toBe(3);
    expect(elsewhere.out).toMatch(
      /websites.kubecon.my.domain could not be planned: .*it is not in the recording/,
    );
    expect(elsewhere.out).toMatch(
      /the recording lacks a list of deployments.apps, which the replay treats as empty/,
    );
  });

  it.each<[string, (lines: readonly string[]) => readonly string[], RegExp]>([
    ['an empty file', () => [''], /line 1: not a recording/],
    ['another JSON file', () => ['{"a":1}'], /line 1: not a recording/],
    [
      'another version of the format',
      ([first = '', ...rest]) => [first.replace('"version":6', '"version":7'), ...rest],
      /has version 7 of the format, but this command reads version 6: .*version 0\.1\.0 of the package/,
    ],
    [
      'a copy that was cut off within a line',
      (lines) => [...lines.slice(0, 3), lines[3]?.slice(0, 100) ?? ''],
      /line 4: the recording is damaged: it is not valid JSON/,
    ],
    [
      'a copy that was cut off between lines',
      (lines) => lines.slice(0, -1),
      /line \d+: the recording ends too early/,
    ],
    ['a run that was killed', ([first = '']) => [first], /line 1: the recording ends too early/],
    [
      'a recording with a missing line',
      (lines) => lines.filter((_, at) => at !== 2),
      /line \d+: the recording ends too early/,
    ],
    [
      'an object without identity',
      (lines) => lines.map((line) => line.replaceAll('"resourceVersion":', '"version":')),
      /line \d+: the recording is damaged: \/\S+ must have required properties resourceVersion/,
    ],
    [
      'a line of an unknown kind',
      (lines) => lines.map((line, at) => (at === 1 ? '{"line":"gossip"}' : line)),
      /line 2: the recording is damaged: the type of the line is unknown/,
    ],
    [
      'more objects than a recording may hold',
      (lines) => [...lines.slice(0, 3), '{"line":"truncated","limit":67108864}'],
      /the run read more than the maximum of 64 MiB: .*--kind or -n/,
    ],
    [
      'an invalid request',
      ([first = '', ...rest]) => [
        first.replace('"reconcileRequests":[{}]', '"reconcileRequests":[{},{"name":"a"}]'),
        ...rest,
      ],
      /line 1: the recording is damaged: name requires kind/,
    ],
    [
      'an invalid time',
      ([first = '', ...rest]) => [first.replace(/"at":"\d+-\d+/, '"at":"2026-13'), ...rest],
      /line 1: the recording is damaged: \/at must match format "date-time"/,
    ],
    [
      'a setting that is no longer valid',
      ([first = '', ...rest]) => [
        first.replace('"settings":{}', '"settings":{"PRUNE_LIMIT":"many"}'),
        ...rest,
      ],
      /PRUNE_LIMIT: "many" .* \(settings come from the environment, otherwise from the recording\)/,
    ],
    [
      'a kind that is not configured',
      ([first = '', ...rest]) => [first.replace('"websites.', '"gone.'), ...rest],
      /line 1: the run reconciled gone.kubecon.my.domain, which this configuration does not have/,
    ],
  ])('refuses %s', async (_, damage, message) => {
    await record();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await writeFile(file, `${damage(lines).join('\n')}\n`);
    const { code, out, err } = await run(['replay', file]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(message);
    expect(err).toContain(file);
  });

  it('suggests unsetting KINDS if it omits a recorded kind', async () => {
    await record();
    const { code, err } = await run(['replay', file], { env: { KINDS: 'Website' } });
    expect(code).toBe(1);
    expect(err).toContain(
      'which this configuration, with KINDS from the environment, does not have',
    );
    expect(err).toContain('unset KINDS, add the kind, or name another --config');
  });

  it('refuses a file that is larger than any recording', async () => {
    await writeFile(file, '');
    await truncate(file, 200 * 1024 * 1024);
    const { code, err } = await run(['replay', file]);
    expect(code).toBe(1);
    expect(err).toContain(`${file}: not a recording: it has more than 192 MiB`);
  });

  it('reads a compressed recording, alone or in a directory', async () => {
    await record();
    const directory = join(ground.directory, 'compressed');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'one.jsonl.gz'), gzipSync(await readFile(file)));
    expect(await run(['replay', join(directory, 'one.jsonl.gz')])).toMatchObject({
      code: 0,
      out: expect.stringContaining('This code makes the same decisions as the recorded code'),
    });
    expect((await run(['replay', directory])).out).toMatch(/one\.jsonl\.gz .* same/);
  });

  it('refuses a compressed recording that is too large once decompressed, or cut off', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    await writeFile(file, bomb);
    expect(await run(['replay', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${file}: not a recording: it has more than 192 MiB`),
    });
    await writeFile(file, bomb.subarray(0, 1000));
    expect(await run(['replay', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `${file}: the recording cannot be decompressed: unexpected end of file; copy it again`,
      ),
    });
  });

  it('reports a directory without recordings, and a missing file', async () => {
    const directory = join(ground.directory, 'nothing');
    await mkdir(directory, { recursive: true });
    expect(await run(['replay', directory])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${directory} has no recordings`),
    });
    const { code, err } = await run(['replay', join(directory, 'none.jsonl')]);
    expect(code).toBe(2);
    expect(err).toMatch(/none.jsonl cannot be read: there is no such file or directory/);
  });
});

it('a recording shows the changes that wait in a rollout, which its run did not compare', async () => {
  let now = Date.parse('2026-11-26T03:00:00Z');
  const place = await openCliGround({ kinds: [shelfKind()], clock: () => new Date(now) });
  onTestFinished(() => place.stop());
  const runAs = (image: string, ...argv: readonly string[]) => {
    now += 61_000;
    return place.run(argv, { kinds: [shelfKind({ image })], env: { ROLLOUT_BUDGET: '10%' } });
  };
  for (const name of ['a', 'b']) await place.api.create(shelfKind(), name, { spec: {} });
  for (const image of ['web:1', 'web:1', 'web:2', 'web:2']) await runAs(image, 'resync');
  const recording = join(place.directory, 'rollout.jsonl');
  await runAs('web:2', 'resync', '--record', recording);
  const { code, out } = await runAs('web:2', 'replay', recording);
  expect(out).toContain('waits for a slot in the rollout');
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('same decisions') });
});
