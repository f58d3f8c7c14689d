import { describe, expect, it } from 'vitest';
import { secret } from '../../index.ts';
import { saltAnnotation } from '../../shared/kinds/names.ts';
import {
  type Applied,
  desiredDigest,
  recordIn,
  recordText,
} from '../../shared/plan/observed/applied.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { fooDeployment } from '../support/children.ts';
import { applied as appliedBy, edited } from '../support/edits.ts';
import { identity, observeChild as observe } from '../support/observe.ts';

const fields = { spec: { replicas: 1 } };
const record: Applied = {
  uid: 'abcdef01',
  generation: 3,
  desired: 'aaaaaaaaaaaa',
  stored: 'bbbbbbbbbb-_',
};

describe('the record of an apply', () => {
  it('is written as a text, and read back unchanged', () => {
    expect(recordText(record)).toBe('abcdef01.3.aaaaaaaaaaaa.bbbbbbbbbb-_');
    expect(recordIn(recordText(record))).toEqual(record);
  });

  it.each([
    ['an empty text', ''],
    ['no text', undefined],
    ['a text that is too long', `${recordText(record)}x`],
    ['a text of another form', 'yes'],
  ])('is undefined for %s', (_, text) => {
    expect(recordIn(text)).toBeUndefined();
  });
});

describe('the digest of the desired fields', () => {
  it.each([
    ['is the same for fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['differs for list items in another order', { a: [1, 2] }, { a: [2, 1] }, false],
    ['differs for an empty value', { a: '' }, {}, false],
    ['differs for another notation of a quantity', { cpu: '0.5' }, { cpu: '500m' }, false],
  ])('%s', (_, one, other, isSame) => {
    expect(desiredDigest(one) === desiredDigest(other)).toBe(isSame);
  });

  it('of a Secret differs with each salt', () => {
    expect(desiredDigest(fields, 'one')).not.toBe(desiredDigest(fields, 'two'));
  });
});

describe('the digest of what the server stored', () => {
  const stored = (live: ReturnType<typeof fooDeployment>) => observe(live).stored;
  it.each([
    [
      'changes with a field of ours',
      (live: { spec: { replicas: number } }) => {
        live.spec.replicas = 5;
      },
      false,
    ],
    [
      'does not change with a field of another manager',
      (live: { metadata: { annotations: object } }) => {
        live.metadata.annotations = { x: 'y' };
      },
      true,
    ],
  ])('%s', (_, edit, isSame) => {
    const after = edited(fooDeployment(), { by: 'kubectl-edit' }, edit as never);
    expect(stored(after as never) === stored(fooDeployment())).toBe(isSame);
  });

  it('is unknown for a child that we never applied', () => {
    const { managedFields: _, ...metadata } = fooDeployment().metadata;
    expect(stored({ ...fooDeployment(), metadata } as never)).toBeUndefined();
  });
});

describe('a Secret', () => {
  const salt = '0123456789abcdefghijkl';
  const live = (annotations: object) =>
    appliedBy(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'a',
          namespace: 'default',
          uid: 'u',
          resourceVersion: '1',
          creationTimestamp: '',
        },
      } as never,
      { by: identity.name },
      { apiVersion: 'v1', kind: 'Secret', metadata: { annotations }, data: { a: 'eA==' } } as never,
    );
  const seen = (annotations: object) =>
    observeChild(secret, live(annotations) as never, { identity });
  it('is compared only if it has the salt that we applied', () => {
    expect(seen({ [saltAnnotation]: salt })).toMatchObject({ salt, stored: expect.any(String) });
    expect(seen({}).stored).toBeUndefined();
    expect(seen({ [saltAnnotation]: 'short' }).stored).toBeUndefined();
    const taken = edited(
      live({ [saltAnnotation]: salt }) as never,
      { by: 'kubectl-edit' },
      ({ metadata }) => {
        metadata.annotations[saltAnnotation] = 'theirs-theirs-theirs-1';
      },
    );
    expect(observeChild(secret, taken as never, { identity }).stored).toBeUndefined();
  });

  it('has a different digest with each salt, although its value is the same', () => {
    const [one, two] = [salt, salt.replace('0', '1')].map(
      (text) => seen({ [saltAnnotation]: text }).stored,
    );
    expect(one).not.toBe(two);
  });
});
