import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { lastAppliedSchema, maxDigest, maxFieldPath } from '../../shared/plan/observed/applied.ts';
import { readStatus } from '../../shared/plan/observed/recorded-status.ts';
import { foo } from '../../systems/foo.ts';
import { effort } from './runs.ts';

const children = ['one', 'two'].map((name) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name,
}));
const times = ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.5+01:00'];
const notTimes = [
  '',
  'now',
  '2026',
  '2026-11-21',
  '2026-11-21T12:00Z',
  'Sat, 21 Nov 2026 12:00:00 GMT',
];
const lengths = [0, 12, maxDigest, maxDigest + 1, maxFieldPath, maxFieldPath + 1, 5000];
const strings = [...lengths.map((length) => 'x'.repeat(length)), ...times, ...notTimes];
const scalars = [null, true, -1, 0, 1, 2, 0.5, 2 ** 53];
const anything = fc.oneof(
  fc.constantFrom<Json[]>(...strings, ...scalars),
  fc.constantFrom<Json[]>([], {}, ['x'], [{}]),
);

const time = fc.constantFrom(...times);
const digest = fc.constantFrom('', 'x'.repeat(12), 'x'.repeat(maxDigest));
const child = fc.constantFrom(0, 1);
const records = fc.record(
  {
    children: fc.array(digest, { minLength: 2, maxLength: 2 }),
    reads: digest,
    comparedAt: time,
    completed: fc.array(digest, { maxLength: 2 }),
    repairs: fc.array(
      fc.record(
        { child, at: time, written: time, fields: fc.array(digest, { maxLength: 2 }) },
        { requiredKeys: ['child', 'at'] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['children'] },
);

/** Replaces, adds or removes something at one place. */
function changed(value: Json, path: readonly number[], to: Json | undefined): Json | undefined {
  const [turn = 0, ...rest] = path;
  if (path.length === 0 || typeof value !== 'object' || value === null) return to;
  const names = [...Object.keys(value), Array.isArray(value) ? String(value.length) : 'more'];
  const at = names[turn % names.length] as string;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<
    string,
    Json | undefined
  >;
  const next = at in copy ? changed(copy[at] as Json, rest, to) : to;
  if (next === undefined) delete copy[at];
  else copy[at] = next;
  return (Array.isArray(copy) ? (copy as Json[]).filter((one) => one !== undefined) : copy) as Json;
}

/** What the schema cannot say: there is a record for each child, and indexes are those of children. */
const fits = ({ children: all, repairs = [] }: Record<string, readonly JsonObject[]>) =>
  all?.length === children.length && repairs.every((one) => Number(one.child) < children.length);

test('the record of applies is read exactly if its schema accepts it', () => {
  const edits = fc.array(
    fc.tuple(
      fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }),
      fc.option(anything, { nil: undefined }),
    ),
    { maxLength: 2 },
  );
  fc.assert(
    fc.property(records, edits, (record, all) => {
      const lastApplied = all.reduce<Json>(
        (value, [path, to]) => changed(value, path, to) ?? {},
        record as Json,
      );
      const { status, hasStrays } = readStatus({ children, lastApplied }, foo, {
        holdsRecords: true,
      });
      const isLegal = Check(lastAppliedSchema, lastApplied) && fits(lastApplied as never);
      expect({ lastApplied: status.lastApplied, hasStrays }).toEqual(
        isLegal ? { lastApplied, hasStrays: false } : { lastApplied: undefined, hasStrays: true },
      );
    }),
    effort(20_000),
  );
});
