import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { describeStaleness, type StoredPreview } from '../../infra/actions/stale-plan.ts';
import { printOutput, type Text } from '../../infra/cli/output/print.ts';
import { planDiff } from '../../infra/cli/plan/plan-diff.ts';
import { planTable } from '../../infra/cli/plan/plan-table.ts';
import { type Preview, previewRun } from '../../shared/preview/preview.ts';
import {
  type OpenTestEnvironment,
  openTestEnvironment,
} from '../../testing/open-test-environment.ts';
import { shop } from '../support/shop.ts';

function textOf(lines: readonly Text[]): string {
  const out = new PassThrough({ encoding: 'utf8' });
  printOutput({ out, env: {} }, 'text', { data: undefined, text: () => lines });
  return String(out.read());
}

async function planned({ reconciler }: OpenTestEnvironment): Promise<Preview> {
  const { config } = reconciler;
  const run = await reconciler.begin('resync');
  return (await previewRun(run, [{}], { ...config, area: config })).preview;
}

const token = (value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'token' },
  data: { token: Buffer.from(value).toString('base64') },
});

test('a plan lists the objects that a resource reads, and missing ones, without digests', async () => {
  const opened = await openTestEnvironment({ kinds: [shop] });
  await using env = opened.env;
  await env.apply(token('open sesame'));
  await env.apply(shop, { name: 'one', spec: { settings: 'settings', tokens: ['token'] } });
  await env.apply(shop, { name: 'other' });
  const preview = await planned(opened);
  expect(preview.resources.map(({ name, reads }) => [name, reads])).toEqual([
    [
      'one',
      [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' },
        { apiVersion: 'v1', kind: 'Secret', name: 'token', resourceVersion: expect.any(String) },
      ],
    ],
    ['other', undefined],
  ]);
  const line = 'ConfigMap settings (not found), Secret token';
  expect(textOf(planTable(preview))).toMatch(
    /^reads +Shop default\/one +ConfigMap settings \(not found\), Secret token$/m,
  );
  expect(textOf(planDiff(preview))).toContain(`# Shop default/one reads ${line}`);
  expect(JSON.stringify(preview)).not.toContain('secret-sha256');
});

test('a plan is stale once a Secret that a resource reads has changed, even without a visible difference', async () => {
  const opened = await openTestEnvironment({ kinds: [shop] });
  await using env = opened.env;
  await env.apply(token('one'));
  await env.apply(shop, { name: 'one', spec: { tokens: ['token'] } });
  const stored = JSON.parse(JSON.stringify(await planned(opened))) as StoredPreview;
  expect(describeStaleness(stored, await planned(opened))).toEqual([]);
  await env.apply(token('two'));
  expect(describeStaleness(stored, await planned(opened))).toEqual([
    'Secret default/token, which the resource reads, has changed',
  ]);
});

test('a plan of a user who cannot read the resources is stale because of that, not because they are in order', async () => {
  const opened = await openTestEnvironment({ kinds: [shop] });
  await using env = opened.env;
  await env.apply(shop, { name: 'one', spec: { settings: 'settings' } });
  const stored = JSON.parse(JSON.stringify(await planned(opened))) as StoredPreview;
  const end = env.fail({ verb: 'list', resource: shop, status: 404 });
  const unread = await planned(opened);
  expect(describeStaleness(stored, unread)).toEqual([
    expect.stringMatching(/^shops\S+ could not be planned: shops\S+ v1 is not served/),
  ]);
  end();
  const incomplete = JSON.parse(JSON.stringify(unread)) as StoredPreview;
  expect(describeStaleness(incomplete, await planned(opened))).toEqual([
    'the plan was incomplete, but now everything can be read',
  ]);
});
