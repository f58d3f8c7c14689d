import { expect, test } from 'vitest';
import { child, defineKind, deployment, job, Type } from '../../index.ts';
import { listAt, textAt } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const containers = 'spec.template.spec.containers';
const env = ['E', 'F'].map((name) => ({ name, value: name.toLowerCase() }));
const spec = Type.Object({
  app: Type.String({ default: 'x' }),
  log: Type.String({ default: 'b:1' }),
  seconds: Type.Integer({ default: 1 }),
  note: Type.String({ default: 'short' }),
});

/** A site of which others set fields in the container `web`. With `waits`, a step comes before each change. */
const siteWith = (
  initial: readonly string[],
  over: { readonly recreate?: true; readonly annotations?: Record<string, string> } = {},
  waits = false,
): Kind =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Site',
    plural: 'sites',
    spec,
    samples: [{ name: 'one', spec: {} }],
    owns: [deployment, job],
    children({ name, spec: { app, log, seconds, note } }) {
      const step = { type: job, name: `step-${seconds}` };
      const pod = { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] };
      const web = { name: 'web', image: 'a:1', env: [...env, { name: 'NOTE', value: note }] };
      const steps = waits
        ? [child(job, { ...step, step: 'once', body: { spec: { template: { spec: pod } } } })]
        : [];
      const main = child(deployment, {
        name,
        initial,
        ...over,
        needs: waits ? [step] : [],
        body: {
          spec: {
            minReadySeconds: seconds,
            selector: { matchLabels: { app } },
            template: {
              metadata: { labels: { app } },
              spec: { containers: [web, { name: 'log', image: log }] },
            },
          },
        },
      });
      return [...steps, main];
    },
  });

const site = siteWith([]);
const engine = useEngine({ controllers: 'paused', install: [site] });
const place = usePlace(engine, [site]);

const image = `${containers}[name="web"].image`;
const live = () => place.api.get(deployment, 'one');
const containersOf = async () => listAt((await live()).spec, 'template', 'spec', 'containers');
const shown = async (): Promise<readonly string[]> =>
  (await containersOf()).map((one) => {
    const variables = listAt(one, 'env').map(
      (each) => `${textAt(each, 'name')}=${textAt(each, 'value')}`,
    );
    return [textAt(one, 'name'), textAt(one, 'image'), ...variables].join(' ');
  });
const stalled = async () => {
  const { status } = await place.api.get(site, 'one');
  return listAt(status, 'conditions').find((one) => textAt(one, 'type') === 'Stalled');
};
const edited = async (
  change: (all: readonly JsonObject[]) => readonly JsonObject[],
): Promise<void> => {
  const all = (await containersOf()) as unknown as readonly JsonObject[];
  await place.api.patch(deployment, 'one', {
    spec: { template: { spec: { containers: change(all) } } },
  });
};
const update = (fields: JsonObject) =>
  edited((all) => all.map((one) => (one.name === 'web' ? { ...one, ...fields } : one)));
const edit = (fields: JsonObject) => place.api.patch(site, 'one', { spec: fields });
/** Makes a run with this kind, and returns the verbs of its writes to Deployments. */
async function runWith(kind: Kind): Promise<readonly string[]> {
  const begun = place.requests().length;
  await place.resync({ kinds: [kind] });
  return place
    .requests()
    .slice(begun)
    .filter((one) => isWriteRequest(one) && one.resource === 'deployments')
    .map(({ verb }) => verb);
}
const created = async (kind: Kind, fields: JsonObject = {}): Promise<void> => {
  await place.api.create(site, 'one', { spec: fields });
  await runWith(kind);
};
const settled = async (kind: Kind): Promise<void> => {
  for (let runs = 0; runs < 4; runs++) {
    await runWith(kind);
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  }
};
const web = (of = 'a:1') => `web ${of} E=e F=f NOTE=short`;

test('a child is recreated, although an updater has set an image that a new object needs', async () => {
  const kind = siteWith([image], { recreate: true });
  await created(kind);
  await update({ image: 'keel:9' });
  await runWith(kind);
  await edit({ app: 'y' });
  expect(await runWith(kind)).toEqual(['delete', 'patch']);
  expect(await shown()).toContain(web());
});

test('an immutable field is named, although an updater has set an image that a new object needs', async () => {
  const kind = siteWith([image]);
  await created(kind);
  await update({ image: 'keel:9' });
  await runWith(kind);
  await edit({ app: 'y' });
  await runWith(kind);
  expect(await stalled()).toMatchObject({ status: 'True', reason: 'ImmutableFieldChanged' });
});

test('a default that no longer applies is reset, although an updater has set an image', async () => {
  const kind = siteWith([image]);
  await created(kind, { log: 'b:latest' });
  await update({ image: 'keel:9' });
  await runWith(kind);
  await edit({ log: 'b:2' });
  await runWith(kind);
  const log = (await containersOf()).find((one) => textAt(one, 'name') === 'log');
  expect(log).toMatchObject({ image: 'b:2', imagePullPolicy: 'IfNotPresent' });
});

test.each([
  ['one field', { image: 'keel:9' }, web('keel:9')],
  ['all fields', { image: 'keel:9', env: [{ name: 'E', value: 'k' }] }, 'web keel:9 E=k'],
])('an initial list item stays if an updater sets %s of it', async (_, fields, want) => {
  const kind = siteWith([`${containers}[name="web"]`]);
  await created(kind);
  await update(fields);
  for (const seconds of [1, 2, 3]) {
    await edit({ seconds });
    await runWith(kind);
    expect(await shown()).toEqual([want, 'log b:1']);
    expect((await live()).spec).toMatchObject({ minReadySeconds: seconds });
  }
  expect(await runWith(kind)).toEqual([]);
});

test.each([image, `${containers}[name="web"].env[name="E"].value`])(
  'a list item that is removed while a change waits for a step gets its initial field again: %s',
  async (path) => {
    const kind = siteWith([path], {}, true);
    await place.api.create(site, 'one', { spec: {} });
    await settled(kind);
    await edit({ seconds: 2 });
    await runWith(kind);
    await edited((all) =>
      path === image
        ? all.filter((one) => one.name !== 'web')
        : all.map((one) => ({ ...one, ...(one.name === 'web' ? { env: env.slice(1) } : {}) })),
    );
    await runWith(kind);
    const [repaired = ''] = (await shown()).filter((one) => one.startsWith('web'));
    expect(repaired.split(' ').toSorted()).toEqual(web().split(' ').toSorted());
    await settled(kind);
    expect((await live()).spec).toMatchObject({ minReadySeconds: 2 });
  },
);

test.each(['short', 'l'.repeat(3000)])(
  'an initial list leaves items of others to them, also if it has long strings (%#)',
  async (note) => {
    const kind = siteWith([`${containers}[name="web"].env`]);
    await created(kind, { note });
    await edited((all) =>
      all.map((one) =>
        one.name === 'web'
          ? { ...one, env: [...(one.env as readonly Json[]), { name: 'THEIRS', value: 't' }] }
          : one,
      ),
    );
    await runWith(kind);
    await edit({ seconds: 2 });
    await runWith(kind);
    expect((await shown())[0]).toBe(`web a:1 E=e F=f NOTE=${note} THEIRS=t`);
    const { managedFields = [] } = (await live()).metadata;
    const holders = managedFields.filter((one) => JSON.stringify(one.fieldsV1).includes('THEIRS'));
    expect(holders.map(({ manager }) => manager)).toEqual(['kubectl-edit']);
  },
);

test('a later initial path may contain an earlier one', async () => {
  const annotations = { x: '1', y: '2' };
  const kind = siteWith(['metadata.annotations.x', 'metadata.annotations'], { annotations });
  await created(kind);
  await edit({ seconds: 2 });
  await runWith(kind);
  expect((await live()).metadata.annotations).toMatchObject(annotations);
});
