import { expect, it } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { useEngine, usePlace } from './use-engine.ts';

/** Kubernetes reads an apply as YAML, which refuses these characters unless they are escaped. */
const refused = '\u007f \u009b \uffff';
/** YAML refuses escapes of these: the flag of England, and a variant of a Chinese character. */
const unescaped = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} \u845b\u{e0100}';
const text = `${refused} ${unescaped}`;

const note = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  spec: Type.Object({ text: Type.String(), limit: Type.Optional(Type.Integer()) }),
  samples: [{ name: 'note', spec: { text: 'x' } }],
  owns: [configMap],
  children({ name, spec: { text, limit } }) {
    if (limit !== undefined) throw new Error(`${'x'.repeat(limit)}${text}`);
    return [child(configMap, { name, body: { data: { text } } })];
  },
});

const engine = useEngine({ install: [note] });
const place = usePlace(engine, [note]);

it('C-11 control and invisible characters in a spec reach the child and the status', async () => {
  const { api, resync } = place;
  await api.create(note, 'fine', { spec: { text } });
  await api.create(note, 'broken', { spec: { text, limit: 1 } });
  await resync();
  expect(await api.get(configMap, 'fine')).toMatchObject({ data: { text } });
  expect((await api.get(note, 'broken')).status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', message: expect.stringContaining(text) }),
  );
});

it('C-11 a message that is cut inside a character reaches the status, which is written once', async () => {
  const { api, resync } = place;
  // One of these messages is cut between the two halves of an emoji.
  for (const limit of [1, 2])
    await api.create(note, `cut-${limit}`, { spec: { text: '😀'.repeat(1_000), limit } });
  expect(await resync()).toMatchObject({ statusWrites: 2 });
  expect(await resync()).toMatchObject({ statusWrites: 0 });
});
