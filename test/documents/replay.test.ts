import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { website } from '../../systems/website.ts';
import { openCliGround } from '../cli/command-runner.ts';
import { kinds } from '../support/config.ts';
import { blocksOf } from '../support/examples.ts';

/** Normalizes output: replaces times and numbers, which differ between runs, and white space. */
const shapeOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d+ (requests|writes|resources?|more)/g, 'N $1')
    .replaceAll(/N resources?/g, 'N resources')
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trimEnd());

/** A version of Website with another image. */
const newer: Kind = {
  ...website,
  desired(resource, find) {
    const spec = { ...(resource.spec as object), imageTag: 'v2' };
    return website.desired({ ...resource, spec }, find);
  },
};

/** A version of Website with a label more. */
const labelled: Kind = {
  ...website,
  desired(resource, find) {
    const children = website.desired(resource, find);
    if ('invalid' in children) return children;
    return children.map((one) =>
      one.type.kind === 'Deployment' ? { ...one, labels: { ...one.labels, team: 'web' } } : one,
    );
  },
};

/** The parts of sentences about the impact that do not depend on the example. */
const parts = (text: string): readonly string[] =>
  shapeOf(
    text.replaceAll(/\d+/g, 'N').replaceAll(/(cluster|Deployment|resync|resource)s?\b/g, '$1'),
  )
    .map((line) =>
      line.replace(/^(ACTION|Restarts|The rollout takes N resync|policy broken).*/, '$1'),
    )
    .filter((line) => /^(ACTION|Restarts|The rollout|policy)/.test(line));

/** The beginnings of the lines of a comment, which do not depend on the example. */
const outline = (comment: string): readonly string[] =>
  comment
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^(\W*\w+[^\d`]*)/.exec(line)?.[1] ?? line);

test('the commands on docs/replay.md print the output shown there', async () => {
  const ground = await openCliGround();
  onTestFinished(() => ground.stop());
  const { api, directory, run } = ground;
  await mkdir(join(directory, 'recordings'));
  await api.create(website, 'shop', { spec: { imageTag: 'v1' } });
  await run(['resync']);
  await api.patch(deployment, 'shop', { spec: { replicas: 5 } }, { manager: 'kubectl' });
  const blocks = await blocksOf('docs/replay.md');
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.startsWith('npx reconciler '));
  expect(commands).toHaveLength(7);
  const outputs: string[] = [];
  for (const line of commands.slice(0, 3)) {
    const words = line
      .replaceAll('recordings/', join(directory, 'recordings/'))
      .split(' ')
      .slice(2);
    const { code, out } = await run(words);
    expect({ line, code }).toEqual({ line, code: 0 });
    outputs.push(out);
  }
  const [decided = '', table = '', impact = ''] = blocks
    .filter(({ language }) => language === 'text')
    .map(({ text }) => text);
  expect(shapeOf(outputs[1] ?? '')).toEqual(shapeOf(decided));
  const [head, row] = shapeOf(outputs[2] ?? '');
  expect(row).toMatch(/night\.jsonl TIME v1\.36\.3 1 same$/);
  expect([head]).toEqual(shapeOf(table).slice(0, 1));

  const [history = '', why = '', bisect = ''] = await Promise.all(
    commands.slice(4).map(async (line) => {
      const words = line
        .replaceAll('recordings/', join(directory, 'recordings/'))
        .replace('03:12', new Date().toISOString().slice(11, 16))
        .split(' ')
        .slice(2);
      return (await run(words)).out;
    }),
  );
  const told =
    /update +Deployment shop +spec.replicas 5 → 2, changed by kubectl.*\n +→ drift by kubectl; reduces availability\n/;
  expect(history).toMatch(told);
  expect(why).toMatch(told);
  expect(bisect).toBe('This code makes the same decisions as the recorded code in 1 recording.\n');
  const [timeline = ''] = blocks
    .filter(({ language, text }) => language === 'text' && text.startsWith('TIME'))
    .map(({ text }) => text);
  expect(shapeOf(history)[0]).toBe(shapeOf(timeline)[0]);

  const foretold = (version: Kind, place: string, ...more: readonly string[]) =>
    run(['impact', join(directory, place), ...more], {
      kinds: kinds.map((kind) => (kind === website ? version : kind)),
      policies: { recreate: 0, 'data-loss': 0, restart: 0 },
    });
  const { code, out } = await foretold(newer, 'recordings');
  expect(code).toBe(1);
  expect(parts(out)).toEqual(parts(impact));
  await mkdir(join(directory, 'rest'));
  await run(['resync', '--record', join(directory, 'rest', 'one.jsonl')]);
  const comments = blocks.filter(({ language }) => language === 'markdown');
  const made = [
    await foretold(newer, 'rest', '-o', 'markdown'),
    await foretold(labelled, 'rest', '-o', 'markdown'),
  ];
  expect(made.map((one) => outline(one.out))).toEqual(comments.map(({ text }) => outline(text)));
});
