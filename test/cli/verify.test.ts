import { expect, test } from 'vitest';
import { child, configMap, defineKind, type Kind, objectName, Type } from '../../index.ts';
import { newDirectory } from '../support/directories.ts';
import { runAlone } from './command-runner.ts';

const kindOf = (kind: string, plural: string, nameOf: (name: string, title: string) => string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind,
    plural,
    spec: Type.Object({ title: Type.String({ default: 'a' }) }),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    children: ({ name, spec: { title } }) => [
      child(configMap, { name: nameOf(name, title), body: { data: { title } } }),
    ],
  });

/** Two kinds, of which Lax uses a title unchanged in a name. */
const kinds: readonly Kind[] = [
  kindOf('Strict', 'stricts', (name) => objectName(`${name}-title`)),
  kindOf('Lax', 'laxes', (name, title) => `${objectName(`${name}-title`).slice(-99)}${title}`),
];

const verify = async (...args: string[]) =>
  runAlone(['verify', ...args], { home: await newDirectory('verify-'), kinds });

test('a kind that breaks no law is reported with the number of trials', async () => {
  const { code, out } = await verify('Strict', '--seconds', '1', '--seed', '4');
  expect(out).toMatch(
    /^Strict: no law is broken; \d+ specs, \d+ sequences on a cluster, seed 4\n$/,
  );
  expect(code).toBe(0);
});

test('a broken law is printed with a test that repeats it', async () => {
  const { code, out } = await verify('laxes', '--seconds', '50');
  expect(code).toBe(1);
  expect(out).toMatch(/^Lax default\/one breaks the law "/);
  expect(out).toMatch(/await expectReliable\(config, \{\s+kind: 'laxes\.example\.org'/);
});

test('all kinds are verified by default, and printed as data', async () => {
  const { code, out } = await verify('--seconds', '5', '-o', 'json');
  expect(code).toBe(1);
  const [strict, lax] = JSON.parse(out);
  expect(strict).toMatchObject({ kind: 'Strict', specs: expect.any(Number) });
  expect(lax).toMatchObject({ kind: 'Lax', broken: expect.stringContaining('breaks the law') });
});

test.each([
  [['None'], 'there is no kind None; the configuration has Strict, Lax'],
  [
    ['--seconds', '0'],
    "option '--seconds <number>' argument '0' is invalid. It must be a whole number of at least 1",
  ],
  [['--given', 'none.yaml'], '--given none.yaml: ENOENT'],
])('%j is a wrong use', async (args, says) => {
  const { code, err } = await verify(...args);
  expect(code).toBe(2);
  expect(err).toContain(says);
});
