import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { runAlone } from '../cli/command-runner.ts';
import { buildPromtool, promtool } from '../promtool/build-promtool.ts';

let program: string;
let directory: string;
let groups: readonly string[];
const file = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'monitoring-'));
  program = await buildPromtool((line) => process.stderr.write(`${line}\n`));
  const argv = 'generate monitoring --namespace rec --quiet-hours 6 --out'.split(' ');
  const { code } = await runAlone([...argv, directory], { home: directory });
  expect(code).toBe(0);
  const { spec } = parse(await readFile(file('prometheus-rule.yaml'), 'utf8'));
  await writeFile(file('rules.yaml'), stringify(spec));
  groups = spec.groups.map(({ name }: { readonly name: string }) => name);
});
afterAll(() => rm(directory, { recursive: true }));

it('promtool finds nothing wrong with the alerting rules', async () => {
  const args = ['check', 'rules', '--lint=all', '--lint-fatal', file('rules.yaml')];
  const { code, printed } = await promtool(program, args);
  expect(printed).toMatch(/SUCCESS: \d+ rules found/);
  expect(code).toBe(0);
});

it('promtool parses every query of the dashboard', async () => {
  const { panels } = JSON.parse(await readFile(file('dashboard.json'), 'utf8'));
  const rules = panels.map(
    ({ targets: [{ expr }] }: { targets: [{ expr: string }] }, at: number) => ({
      record: `panel${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }),
  );
  await writeFile(file('panels.yaml'), stringify({ groups: [{ name: 'panels', rules }] }));
  const { printed } = await promtool(program, ['check', 'rules', file('panels.yaml')]);
  expect(printed).toContain(`SUCCESS: ${panels.length} rules found`);
});

const job = 'job="rec/serverless-reconciler"';
const resyncs = (outcome: string): string =>
  `reconciler_runs_total{${job},cluster="main",trigger="resync",outcome="${outcome}"}`;
const repairs = (repaired: string): string =>
  `reconciler_child_drifted_total{${job},controller="foo",repaired="${repaired}"}`;
const events = (pod: string): string =>
  `reconciler_event_age_seconds_count{${job},cluster="main",trigger="audit",pod="${pod}"}`;

/** Series without a problem, with one value every five minutes for three and a half days. */
const well = {
  [resyncs('whole')]: '1+1x1000',
  [resyncs('failed')]: '0x1000',
  [events('a')]: '1+1x1000',
};

/** A counter in promtool's notation that grows by one at every `each`th of 1000 points. */
const growingAt = (each: number): string =>
  Array.from({ length: 1000 }, (_, at) => Math.floor(at / each)).join(' ');
const without = (each: number): string =>
  Array.from({ length: 1000 }, (_, at) => 1 + at - Math.floor(at / each)).join(' ');

it.each([
  ['there is no problem', {}, '3d1h', []],
  [
    'nothing is scraped',
    { [resyncs('whole')]: '_x1000', [resyncs('failed')]: '_x1000' },
    '1h',
    ['NoSuccessfulResync critical'],
  ],
  [
    'resyncs fail for half an hour',
    { [resyncs('whole')]: '1+1x36 37x964', [resyncs('failed')]: '0x36 0+1x964' },
    '3h40m',
    ['NoSuccessfulResync critical', 'ResyncsNotWhole critical', 'ResyncsNotWhole warning'],
  ],
  [
    'a single resync fails',
    { [resyncs('whole')]: '1+1x36 37x0 38+1x963', [resyncs('failed')]: '0x36 1x964' },
    '3h15m',
    [],
  ],
  [
    'one resync of forty fails for three days',
    { [resyncs('whole')]: without(40), [resyncs('failed')]: growingAt(40) },
    '3d1h',
    ['ResyncsNotWhole warning'],
  ],
  [
    'six edits in half an hour are repaired only by resyncs',
    { [repairs('later')]: '0x36 0+1x6 6x900', [repairs('in_a_minute')]: '0x1000' },
    '3h30m',
    ['RepairsLate critical', 'RepairsLate warning'],
  ],
  [
    'two edits in half an hour are repaired only by resyncs',
    { [repairs('later')]: '0x36 0+1x2 2x900', [repairs('in_a_minute')]: '0x1000' },
    '3h30m',
    [],
  ],
  [
    'six edits are repaired only by resyncs, and more within a minute',
    { [repairs('later')]: '0x36 0+1x6 6x900', [repairs('in_a_minute')]: '0+30x1000' },
    '3h30m',
    [],
  ],
  [
    'there are no audit events, so that resyncs repair all drift',
    { [events('a')]: '_x1000', [repairs('later')]: '0+1x1000', [repairs('in_a_minute')]: '0x1000' },
    '5h',
    ['NoAuditEvents warning'],
  ],
  ['audit events stop', { [events('a')]: '1+1x12 13x900' }, '8h', ['NoAuditEvents warning']],
  [
    'the process is replaced, with one audit event before and one after',
    { [events('a')]: '1x60 _x900', [events('b')]: '_x70 1x900' },
    '8h',
    [],
  ],
  [
    'a rollout is halted',
    {
      'reconciler_resource_condition{customresource_kind="Foo",name="a",type="RolloutPending",reason="RolloutHalted"}':
        '1x1000',
    },
    '1h',
    ['RolloutHalted warning'],
  ],
  [
    'a resource is Stalled',
    {
      'reconciler_resource_condition{customresource_kind="Foo",name="a",type="Stalled",reason="Forbidden"}':
        '1x1000',
    },
    '1h',
    ['ResourceStalled warning'],
  ],
] as const)('if %s, these alerts fire', async (title, series, at, expected) => {
  const input = Object.entries({ ...well, ...series });
  const samples = expected.map((one) => {
    const [name, severity] = one.split(' ');
    return { labels: `{alertname="${name}", severity="${severity}"}`, value: 1 };
  });
  const test = {
    rule_files: ['rules.yaml'],
    evaluation_interval: '5m',
    // Without an order, promtool evaluates the groups in a random one.
    group_eval_order: groups,
    tests: [
      {
        interval: '5m',
        input_series: input.map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: 'group by (alertname, severity) (ALERTS{alertstate="firing"})',
            eval_time: at,
            exp_samples: samples,
          },
        ],
      },
    ],
  };
  const path = file(`${title.replaceAll(/\W+/g, '-')}.yaml`);
  await writeFile(path, stringify(test));
  expect(await promtool(program, ['test', 'rules', path])).toMatchObject({
    code: 0,
    printed: expect.stringContaining('SUCCESS'),
  });
});
