import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prometheusRule } from '../../infra/generate/monitoring/prometheus-rules.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const sections = new Map(
  read('docs/alerts.md')
    .split('\n## ')
    .slice(1)
    .map((text) => [text.split('\n', 1)[0] ?? '', text]),
);
const to = { name: 'r', namespace: 'n', interval: 300, quietHours: 6, runbook: '' };
const ofPrometheus = prometheusRule(to).spec.groups.flatMap(({ rules }) =>
  rules.flatMap((rule) => ('alert' in rule ? [rule.alert as string] : [])),
);
/** The first word of each title; with several clusters the name of one follows. */
const ofGoogle = [
  ...read('terraform/modules/monitoring/alerts.tf').matchAll(/title = (?:trimsuffix\()?"(\w+)/g),
].map(([, name = '']) => name);
const alerts = [...new Set([...ofPrometheus, ...ofGoogle])].toSorted();

it('alerts have the same names on Google Cloud and Prometheus', () => {
  expect(ofGoogle.filter((name) => ofPrometheus.includes(name)).toSorted()).toEqual([
    'NoAuditEvents',
    'NoSuccessfulResync',
    'RolloutHalted',
  ]);
});

it('the runbook has a section for each alert, and for nothing else', () => {
  const others = ['What to install', 'Service levels', 'An incident'];
  const named = [...sections.keys()].filter((heading) => !others.includes(heading));
  expect(named.toSorted()).toEqual(alerts);
});

it.each(alerts)(
  "the runbook's section of %s has its meaning, what to look at and what to do",
  (alert) => {
    for (const part of ['**Meaning.**', '**Look at**', '**Do**'])
      expect(sections.get(alert)).toContain(part);
  },
);

it.each(ofGoogle)('the README of the Terraform module explains %s', (alert) => {
  expect(read('terraform/README.md')).toContain(`| ${alert} |`);
});

it('the runbook names only log messages that docs/operating.md lists', () => {
  const words = /`((?!gcloud |generate |reconciler )[a-z]+(?: [a-z]+)+)`/g;
  const phrases = [...read('docs/alerts.md').matchAll(words)];
  const named = phrases.map(([, phrase = '']) => phrase);
  expect(named).toContain('kind not reconciled');
  const listed = read('docs/operating.md');
  expect(named.filter((phrase) => !listed.includes(`\`${phrase}\``))).toEqual([]);
});

it('an edit to which the runbook asks changes the object each time', () => {
  const edits = [...read('docs/alerts.md').matchAll(/`kubectl (?:annotate|label) [^`]*`/g)];
  expect(edits.length).toBeGreaterThan(0);
  for (const [edit] of edits) expect(edit).toMatch(/\$\(date .*--overwrite/);
});
