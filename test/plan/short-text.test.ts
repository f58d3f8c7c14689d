import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weightOf } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { keepLive } from '../../shared/plan/drift/kept-values.ts';
import { shortText } from '../../shared/plan/observed/short-text.ts';
import { effort } from '../properties/runs.ts';
import { applied } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
import { changesOf } from '../support/worlds.ts';

const ours = 'serverless-reconciler';
const long = 'x'.repeat(100_000);

/** Builds the fields of a Deployment with an annotation, and with an environment variable for each name. */
const fields = (text: string, names: readonly string[] = []) => ({
  metadata: { annotations: { text } },
  spec: {
    template: {
      spec: { containers: [{ name: 'a', env: names.map((name) => ({ name, value: '' })) }] },
    },
  },
});

function live(text: string, by = ours): KubeObject {
  const { metadata, spec } = fields(text);
  const named = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', ...metadata },
  };
  return applied<KubeObject>(undefined, { by }, { ...named, spec });
}

const changes = (from: string, to: string) => changesOf(live(from), fields(to));

describe('a long text of a child', () => {
  it('C-11 is kept as a few bytes, whatever its length', () => {
    expect(weightOf(observeChild(live(long)))).toBeLessThan(5_000);
  });

  it.each([
    ['equal to the desired text', long, long, 0],
    ['with another last character', `${long}a`, `${long}b`, 1],
    ['with another half of a surrogate pair', '\ud800'.repeat(2_000), '\ud801'.repeat(2_000), 1],
    ['replaced by its own digest', shortText(long), long, 1],
    ['whose digest is the desired text', long, shortText(long), 1],
  ])('%s', (_, from, to, count) => {
    const found = changes(from, to);
    expect(found.map(({ path }) => path)).toEqual(Array(count).fill('metadata.annotations.text'));
    expect(JSON.stringify(found).length).toBeLessThan(1_000);
  });

  it.each([
    {
      reason: 'the longest text that is kept',
      text: 'x'.repeat(1_024),
      want: undefined,
    },
    { reason: 'a text that is one character longer', text: 'x'.repeat(1_025), want: 100 + 129 },
    { reason: 'a text of wide characters', text: '€'.repeat(8_000), want: 100 + 1_000 },
    { reason: 'a text that looks like a digest', text: '(sha256 x', want: 100 + 2 },
  ])('is hashed in linear time: $reason', ({ text, want }) => {
    const spent: number[] = [];
    const kept = shortText(text, (steps) => spent.push(steps));
    expect(spent).toEqual(want === undefined ? [] : [want]);
    if (want === undefined) expect(kept).toBe(text);
    else expect(kept).toMatch(/^\(sha256 [\w-]{43} of \d+ characters\)$/);
  });

  it('is up to date only if it is equal, even if it looks like a digest', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom(long, `${long}y`, '€'.repeat(1_025), '€'.repeat(1_024)),
    );
    const any = fc.tuple(text, fc.nat(2)).map(
      ([one, times]) =>
        Array(times)
          .fill(0)
          .reduce((text: string) => shortText(text), one) as string,
    );
    fc.assert(
      fc.property(any, any, (from, to) => {
        expect(changes(from, to).length === 0).toBe(from === to);
      }),
      effort(500),
    );
  });

  it('is read before it is applied, because its digest would be written', () => {
    const handsOver = ['metadata.annotations'];
    const child = { type: deployment, name: 'shop', body: {}, handsOver };
    const fields = { spec: {} };
    const given = (text: string) =>
      keepLive(child, { fields, whole: fields }, observeChild(live(text)));
    expect(given(long)?.long).toEqual([['metadata', 'annotations', 'text']]);
    expect(given('short')?.long).toEqual([]);
    expect(given('short')?.fields).toEqual({
      spec: {},
      metadata: { annotations: { text: 'short' } },
    });
  });
});
