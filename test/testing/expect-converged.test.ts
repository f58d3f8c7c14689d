import { test } from 'vitest';
import { expectConverged } from '../../testing/index.ts';
import { config, kinds } from '../support/config.ts';

test.each(kinds.map(({ kind }) => kind))('%s obeys the laws', async (kind) => {
  const found = await expectConverged(config, { kind });
  console.log(kind, found.children, found.repaired, found.skipped.length);
  for (const s of found.skipped) console.log(' ', s.child, s.field, s.how, s.why.slice(0, 140));
});
