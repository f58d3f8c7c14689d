import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { syncStates } from '../../infra/actions/sync-states.ts';
import { engineConditions, rolloutCondition } from '../../shared/kinds/condition-types.ts';
import { builtInTypes } from '../support/child-types.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');

const sourcesOf = (pattern: string): string =>
  globSync(pattern, { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, ''))
    .join('\n');

const found = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, word = '']) => word))].toSorted();

const sectionOf = (heading: string): string => {
  const [, rest = ''] = page.split(`\n${heading}\n`);
  return rest.split(/\n#+ /, 1).join('');
};

/** Returns the code words in the first column of a section's table. */
const listedIn = (heading: string): readonly string[] =>
  found(
    sectionOf(heading)
      .split('\n')
      .flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
      .join(' '),
    /`([^`]+)`/g,
  );

/** Matches every word that may be a reason. */
const words = /'([A-Z][a-z]+[A-Za-z]*)'/g;
const engine = sourcesOf('shared/{plan/**,run,reading,rollout,resource,resync,preview}/*.ts');
const kinds = sourcesOf('{shared/kinds/**,systems}/*.ts');

/** Reasons of kinds and child types; other words there name fields, columns and phases. */
const reasonsOfKinds = found(kinds, /(?:\bfailed\(|\breason\b[^=\n]*?(?::|=|\?\?) )'([A-Z]\w+)'/g);

/** Words in the engine that are not reasons. */
const others: readonly string[] = [
  ...builtInTypes.map(({ kind }) => kind),
  'Event',
  'Events',
  'Services',
  'CustomResourceDefinition',
  'Cluster',
  'True',
  'False',
  'Unknown',
  'Normal',
  'Warning',
  'Absent',
  'Current',
  'InProgress',
  'Apply',
  'Update',
  'RollingUpdate',
  'PostponedError',
  'StaleError',
  'UnreadableError',
  // Reasons of the API server's own responses.
  ...['InternalError', 'Invalid'],
];

describe('the reasons on docs/operating.md', () => {
  const documented = [
    ...listedIn('### Reasons'),
    ...listedIn('## Events'),
    ...found(sectionOf('### Reasons').split('On the dashboard').at(-1) ?? '', /`([A-Z]\w+)`/g),
  ];

  it('include every reason of the engine', () => {
    const known = [...others, ...syncStates, ...engineConditions];
    const unknown = found(engine, words).filter((word) => !known.includes(word));
    expect(unknown.length).toBeGreaterThan(20);
    expect(unknown.filter((word) => !documented.includes(word))).toEqual([]);
  });

  it('include every reason of a kind or a child type', () => {
    expect(reasonsOfKinds).toEqual(expect.arrayContaining(['AuthUrlMissing', 'CrashLoopBackOff']));
    expect(reasonsOfKinds.filter((reason) => !documented.includes(reason))).toEqual([]);
  });

  it('are all in the sources', () => {
    const known = [...found(engine, words), ...reasonsOfKinds];
    const tables = [...listedIn('### Reasons'), ...listedIn('## Events')];
    expect(tables.length).toBeGreaterThan(35);
    expect(tables.filter((reason) => !known.includes(reason))).toEqual([]);
    expect(tables).toContain('TooManyIngresses');
  });
});

it('docs/operating.md lists exactly the condition types', () => {
  expect(listedIn('## Conditions')).toEqual([...engineConditions, rolloutCondition].toSorted());
});

it('docs/operating.md lists exactly the log messages', () => {
  const sources = sourcesOf('{shared,functions}/**/*.ts');
  const messages = found(
    sources,
    /\b(?:log|clusters\[0\]\?\.log|createLog\([^()]*\))(?:\.(?:debug|info|warning|error|summary)|\[[^\]]+\])\(\s*['`]([^'`]+)/g,
  );
  const each = messages.flatMap((message) =>
    message.startsWith('child $')
      ? ['created', 'updated', 'deleted', 'skipped', 'failed', 'blocked'].map(
          (one) => `child ${one}`,
        )
      : [message],
  );
  expect(listedIn('### Log lines')).toEqual(each.toSorted());
});
