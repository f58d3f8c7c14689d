import { beforeEach, describe, expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine, usePlace } from './use-engine.ts';

const fail = (): never => {
  throw new TypeError('no such port');
};
/** The function that throws for specs with the text `bad`. */
let failing = '';
/** The fields that `statusOf` returns in addition for specs with the text `bad`. */
let wrong: object = {};
const failsFor = (name: string, text: string | undefined): boolean =>
  failing === name && text === 'bad';

const probe = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
  spec: Type.Object({ text: Type.String() }),
  status: { seen: Type.Optional(Type.String()), share: Type.Integer() },
  conditions: ['Open'],
  samples: [],
  owns: [configMap],
  children: ({ name, spec: { text } }) => [child(configMap, { name, body: { data: { text } } })],
  statusOf: ({ spec }) =>
    failsFor('statusOf', spec?.text)
      ? fail()
      : spec === undefined
        ? {}
        : { seen: spec.text, ...(spec.text === 'bad' && wrong) },
  conditionsOf: ({ spec }) =>
    failsFor('conditionsOf', spec?.text)
      ? fail()
      : [{ type: 'Open', status: 'True', reason: 'Seen', message: `${spec?.text}` }],
  notes: ({ newGeneration, completed }) =>
    failing === 'notes' && (newGeneration || completed)
      ? fail()
      : newGeneration
        ? [{ type: 'Normal', reason: 'Noted', message: 'a new text' }]
        : [],
});

/** Changes its argument, which TypeScript permits. */
const consuming = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Consuming',
  plural: 'consumings',
  spec: Type.Object({ words: Type.Array(Type.String()) }),
  status: { first: Type.Optional(Type.String()) },
  samples: [],
  owns: [configMap],
  children: ({ name, spec: { words } }) => [
    child(configMap, { name, body: { data: { text: words.join(' ') } } }),
  ],
  statusOf: ({ spec }) => ({ first: spec?.words.shift() ?? '' }),
});

const engine = useEngine({ controllers: 'paused', install: [probe, consuming] });
const place = usePlace(engine, [probe, consuming]);

const status = async () => (await place.api.get(probe, 'a')).status;
const condition = async (of: string) =>
  (await status())?.conditions?.find(({ type }) => type === of);
const want = (text: string) => place.api.patch(probe, 'a', { spec: { text } });
const ready = async (text: string) => {
  await place.resync();
  expect(await condition('Ready')).toMatchObject({ status: 'True', observedGeneration: 1 });
  expect(await status()).toMatchObject({ seen: text });
};

const thrown = expect.stringMatching(
  /^the kind's code fails: Probe: TypeError: no such port at \S+\/own-code\.test\.ts:\d+:\d+$/,
);

const wrongShare =
  'the kind\'s code fails: Probe: statusOf().share must be integer; it returned {"seen":"bad","share":1.5}';

describe.each([
  { title: 'statusOf throws', name: 'statusOf', message: thrown },
  { title: 'conditionsOf throws', name: 'conditionsOf', message: thrown },
  { title: 'statusOf returns a wrong field', share: { share: 1.5 }, message: wrongShare },
])('a kind whose $title', ({ name = '', share = {}, message }) => {
  beforeEach(async () => {
    failing = '';
    wrong = {};
    await place.api.create(probe, 'a', { spec: { text: 'good' } });
    await ready('good');
    failing = name;
    wrong = share;
    await want('bad');
  });

  test('writes its children, and reports the error in every run, with one status write and one Event', async () => {
    for (let runs = 0; runs < 2; runs++) {
      const { failures, statusWrites, outcomes } = await place.resync();
      expect(failures).toMatchObject([{ message }]);
      expect(statusWrites).toBe(1 - runs);
      expect(outcomes.updated ?? 0).toBe(1 - runs);
    }
    expect((await place.api.get(configMap, 'a')).data).toEqual({ text: 'bad' });
    const events = await place.api.list(eventType);
    expect(events.filter(({ reason }) => reason === 'InvalidSpec')).toMatchObject([{ message }]);
  });

  test('is not Ready, and keeps its own fields and conditions', async () => {
    await place.resync();
    const stalled = { reason: 'InvalidSpec', message, observedGeneration: 2 };
    expect(await condition('Ready')).toMatchObject({ status: 'False', ...stalled });
    expect(await condition('Stalled')).toMatchObject({ status: 'True', ...stalled });
    expect(await condition('Open')).toMatchObject({ status: 'True', message: 'good' });
    expect(await status()).toMatchObject({ seen: 'good', observedGeneration: 2 });
  });

  test('is Ready once its code is corrected', async () => {
    await place.resync();
    failing = '';
    wrong = {};
    await place.resync();
    expect(await condition('Ready')).toMatchObject({ status: 'True' });
    expect(await condition('Open')).toMatchObject({ message: 'bad' });
    expect(await status()).toMatchObject({ seen: 'bad' });
    expect((await place.resync()).statusWrites).toBe(0);
  });

  test('shows the error in a plan, which predicts the status', async () => {
    const { begin, close } = openRecordedPreview(engine);
    const area = { kinds: [probe], namespaces: [place.namespace], name: undefined };
    const { preview } = await previewRun(begin(), [{}], { ...previewOptions, area });
    expect(preview.resources).toMatchObject([
      { name: 'a', status: { state: 'Stalled', reason: 'InvalidSpec', message } },
    ]);
    await close();
  });
});

test('a kind whose notes throws has one Event, and is Ready', async () => {
  failing = '';
  wrong = {};
  await place.api.create(probe, 'a', { spec: { text: 'good' } });
  await ready('good');
  failing = 'notes';
  await want('bad');
  for (let runs = 0; runs < 2; runs++) {
    const { failures, statusWrites } = await place.resync();
    expect(failures).toEqual([]);
    expect(statusWrites).toBe(1 - runs);
  }
  expect(await condition('Ready')).toMatchObject({ status: 'True', observedGeneration: 2 });
  const events = await place.api.list(eventType);
  expect(events.filter(({ reason }) => reason === 'InvalidSpec')).toMatchObject([
    { type: 'Warning', message: thrown },
  ]);
});

test('a kind whose statusOf changes the spec is reported, and its children do not change', async () => {
  await place.api.create(consuming, 'a', { spec: { words: ['one', 'two'] } });
  const { failures } = await place.resync();
  expect((await place.api.get(configMap, 'a')).data).toEqual({ text: 'one two' });
  expect(failures).toMatchObject([
    { message: expect.stringMatching(/^the kind's code fails: Consuming: TypeError: .*own-code/) },
  ]);
});
