import { expect, test } from 'vitest';
import { expectConverged } from '../../testing/index.ts';
import { config } from '../support/config.ts';

/** The fields whose change, and whose removal, no API server accepts: few, or the law is empty. */
const expected = [
  { kind: 'Website', children: 2, repaired: 37 },
  { kind: 'Application', children: 3, repaired: 52 },
  { kind: 'ContainerApp', children: 5, repaired: 84 },
  { kind: 'Database', children: 3, repaired: 67 },
  { kind: 'Foo', children: 1, repaired: 9 },
];

test.each(expected)('$kind obeys the laws', async ({ kind, children, repaired }) => {
  const found = await expectConverged(config, { kind });
  expect(found.children).toHaveLength(children);
  expect(found.repaired).toBeGreaterThanOrEqual(repaired);
});

test('what is not tried is listed with its reason', async () => {
  const { skipped } = await expectConverged(config, { kind: 'Database' });
  const reasons = new Map(
    skipped.map(({ child, field, how, why }) => [[child, field, how].join(' '), why]),
  );
  expect(reasons.get('Secret my-database-credentials  deleted')).toMatch(/restored by hand/);
  expect(reasons.get('StatefulSet my-database spec.serviceName changed')).toMatch(
    /^Invalid: .*updates to statefulset spec/,
  );
  expect(reasons.get('Service my-database spec.type removed')).toBe(
    'the API server keeps the value',
  );
});
