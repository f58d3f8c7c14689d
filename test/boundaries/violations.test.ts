import { describe, expect, it } from 'vitest';
import { withTable } from '../../infra/boundaries/markdown.ts';
import { type Rules, violationsIn } from '../../infra/boundaries/violations.ts';

const rules: Rules = {
  directories: {
    'base/*.ts': { holds: 'nouns' },
    'base/log.ts': { holds: 'the log', imports: 'base/*.ts', packages: 'node:*' },
    'base/pure': { holds: 'decisions', imports: 'base/*.ts', packages: 'node:crypto typebox' },
    app: { holds: 'commands', imports: 'base', packages: 'node:* cluster' },
    'app/page': { holds: 'the page', packages: 'preact' },
    server: { holds: 'a package', imports: 'server', packages: '*', layers: 'json objects verbs' },
    test: { holds: 'tests', imports: '*', packages: '*' },
  },
  ownPackages: ['server'],
  mostFiles: 3,
  crowded: [],
  unlimited: ['test'],
};

/** A tree with one file for each row, without imports. */
const tree = {
  'base/json.ts': '',
  'base/log.ts': '',
  'base/pure/plan.ts': '',
  'app/main.ts': '',
  'app/page/board.tsx': '',
  'server/start.ts': '',
  'test/plan.test.ts': '',
};

const check = (files: Readonly<Record<string, string>>, other: Partial<Rules> = {}) =>
  violationsIn(new Map(Object.entries({ ...tree, ...files })), { ...rules, ...other });

interface Case {
  readonly reason: string;
  readonly file: string;
  readonly text: string;
}

const allowed: readonly Case[] = [
  {
    reason: 'a row that is in the list',
    file: 'base/pure/a.ts',
    text: `import { a } from '../json.ts';`,
  },
  {
    reason: 'the row of the file itself',
    file: 'base/pure/a.ts',
    text: `import { plan } from './plan.ts';`,
  },
  { reason: 'a row below one in the list', file: 'app/a.ts', text: `import '../base/log.ts';` },
  {
    reason: 'a package that is in the list',
    file: 'base/pure/a.ts',
    text: `import { T } from 'typebox';`,
  },
  {
    reason: 'an entry point of such a package',
    file: 'base/pure/a.ts',
    text: `import { T } from 'typebox/schema';`,
  },
  { reason: 'a Node module', file: 'app/a.ts', text: `import { join } from 'node:path';` },
  { reason: 'any row if the list is *', file: 'test/a.ts', text: `import '../app/main.ts';` },
  {
    reason: 'an import of an earlier layer',
    file: 'server/verbs/a.ts',
    text: `import { a } from '../json/b.ts';`,
  },
  {
    reason: 'an import of any layer in a file outside the layers',
    file: 'server/a.ts',
    text: `import { a } from './verbs/b.ts';`,
  },
  {
    reason: 'an import with a placeholder inside a template of a file',
    file: 'base/pure/a.ts',
    text: `const file = \`\nimport { x } from '../../\${path}';\n\`;`,
  },
  {
    reason: 'an import inside a string',
    file: 'base/pure/a.ts',
    text: `const file = "import { x } from '../../app/main.ts'";`,
  },
];

it.each(allowed)('the boundary check allows $reason', ({ file, text }) => {
  expect(check({ [file]: text })).toEqual([]);
});

const refused: readonly (Case & { readonly error: string })[] = [
  {
    reason: 'a row that is not in the list',
    file: 'base/pure/a.ts',
    text: `import { main } from '../../app/main.ts';`,
    error: 'base/pure/a.ts:1 imports app/main.ts: the row base/pure allows base/*.ts',
  },
  {
    reason: 'a file with a row of its own that is not in the list',
    file: 'base/pure/a.ts',
    text: `import { log } from '../log.ts';`,
    error: 'base/pure/a.ts:1 imports base/log.ts: the row base/pure allows base/*.ts',
  },
  {
    reason: 'every import if the list is empty',
    file: 'base/a.ts',
    text: `import { plan } from './pure/plan.ts';`,
    error: 'base/a.ts:1 imports base/pure/plan.ts: the row base/*.ts allows nothing',
  },
  {
    reason: 'a row below that of the file that is not in the list',
    file: 'app/a.ts',
    text: `import { board } from './page/board.tsx';`,
    error: 'app/a.ts:1 imports app/page/board.tsx: the row app allows base',
  },
  {
    reason: 'an import that only the parent row allows, because the longest row counts',
    file: 'app/page/a.tsx',
    text: `import { json } from '../../base/json.ts';`,
    error: 'app/page/a.tsx:1 imports base/json.ts: the row app/page allows nothing',
  },
  {
    reason: 'a package that is not in the list',
    file: 'base/pure/a.ts',
    text: `import { KubeConfig } from '@kubernetes/client-node';`,
    error:
      'base/pure/a.ts:1 imports @kubernetes/client-node: the row base/pure allows node:crypto, typebox',
  },
  {
    reason: 'a package whose name only starts like an allowed one',
    file: 'base/pure/a.ts',
    text: `import { T } from 'typebox-x';`,
    error: 'base/pure/a.ts:1 imports typebox-x: the row base/pure allows node:crypto, typebox',
  },
  {
    reason: 'a Node module in a pure directory',
    file: 'base/pure/a.ts',
    text: `import { readFileSync } from 'node:fs';`,
    error: 'base/pure/a.ts:1 imports node:fs: the row base/pure allows node:crypto, typebox',
  },
  {
    reason: 'a file outside of the tree',
    file: 'test/a.ts',
    text: `import { x } from '../../x.ts';`,
    error: 'test/a.ts:1 imports ../x.ts: the row test allows *',
  },
  {
    reason: 'a relative import into a separate package, even from a row that may import everything',
    file: 'test/a.ts',
    text: `import { start } from '../server/start.ts';`,
    error:
      'test/a.ts:1 imports server/start.ts: server is a package of its own: use a package name, not a relative path',
  },
  {
    reason: 'a relative import out of a separate package',
    file: 'server/a.ts',
    text: `import { json } from '../base/json.ts';`,
    error:
      'server/a.ts:1 imports base/json.ts: server is a package of its own: use a package name, not a relative path',
  },
  {
    reason: 'an import of a later layer',
    file: 'server/objects/a.ts',
    text: `import { b } from '../verbs/b.ts';`,
    error: 'server/objects/a.ts:1 imports server/verbs/b.ts: this layer of server may import json',
  },
  {
    reason: 'a file outside of the layers, imported by a layer',
    file: 'server/json/a.ts',
    text: `import { start } from '../start.ts';`,
    error: 'server/json/a.ts:1 imports server/start.ts: this layer of server may import nothing',
  },
];

it.each(refused)('the boundary check refuses $reason', ({ file, text, error }) => {
  expect(check({ [file]: text })).toEqual([error]);
});

/** A path in a constant: as a literal below, the boundary check would take it for an import of this file. */
const main = `'../../app/main.ts'`;

const forms: readonly (readonly [form: string, text: string, line: number])[] = [
  ['a type', `import type { Main } from '../../app/main.ts';`, 1],
  ['a side effect', `import '../../app/main.ts';`, 1],
  ['a default', `import main from '../../app/main.ts';`, 1],
  ['a namespace', `import * as main from '../../app/main.ts';`, 1],
  ['JSON', `import main from '../../app/main.ts' with { type: 'json' };`, 1],
  [
    'several lines',
    `import {\n  // It isn't short; really.\n  main,\n} from '../../app/main.ts';`,
    4,
  ],
  ['a re-export', `\nexport { main } from '../../app/main.ts';`, 2],
  ['a re-export of all', `export * from '../../app/main.ts';`, 1],
  ['a re-export of types', `export type * as main from '../../app/main.ts';`, 1],
  ['a dynamic import', `const load = () =>\n  import(${main});`, 2],
  ['a dynamic import on two lines', `const { x } = await import(\n  '../../app/main.ts'\n);`, 1],
  ['an inline type', `const main: typeof import(${main}) = load();`, 1],
];

it.each(forms)('the boundary check recognizes an import in the form of %s', (_, text, line) => {
  expect(check({ 'base/pure/a.ts': text })).toEqual([
    `base/pure/a.ts:${line} imports app/main.ts: the row base/pure allows base/*.ts`,
  ]);
});

describe('import cycles', () => {
  it('are refused, including those of types', () => {
    const files = {
      'base/pure/plan.ts': `import { a } from './a.ts';`,
      'base/pure/a.ts': `\nexport { b } from './b.ts';`,
      'base/pure/b.ts': `import type { Plan } from './plan.ts';`,
    };
    expect(check(files)).toEqual([
      'base/pure/b.ts:1 closes a cycle: base/pure/plan.ts → base/pure/a.ts → base/pure/b.ts → base/pure/plan.ts',
    ]);
  });

  it('of one file are refused', () => {
    expect(check({ 'app/main.ts': `import './main.ts';` })).toEqual([
      'app/main.ts:1 closes a cycle: app/main.ts → app/main.ts',
    ]);
  });

  it('are refused among files that were already visited', () => {
    const files = {
      'base/a.ts': `import './b.ts';\nimport './c.ts';`,
      'base/b.ts': `import './c.ts';`,
      'base/c.ts': `import './b.ts';`,
    };
    expect(check(files, { mostFiles: 9 })).toEqual([
      'base/c.ts:1 closes a cycle: base/b.ts → base/c.ts → base/b.ts',
    ]);
  });

  it('are not reported just because two files import a third', () => {
    const files = {
      'base/a.ts': `import './b.ts';\nimport './c.ts';`,
      'base/b.ts': `import './c.ts';`,
      'base/c.ts': '',
    };
    expect(check(files, { mostFiles: 9 })).toEqual([]);
  });
});

describe('the table of boundaries', () => {
  it('needs a row for each directory, and a row for the files of a directory does not cover subdirectories', () => {
    expect(check({ 'base/fresh/a.ts': '' })).toEqual([
      'base/fresh/a.ts is in no row: add a row for base/fresh',
    ]);
  });

  it('has no row without a file', () => {
    expect(
      check({}, { directories: { ...rules.directories, gone: { holds: 'nothing' } } }),
    ).toEqual(['the row gone has no file: delete it']);
  });

  it('allows only existing rows', () => {
    const app = { holds: 'commands', imports: 'base bas' };
    expect(check({}, { directories: { ...rules.directories, app } })).toEqual([
      'the row app allows bas, which is not a row',
    ]);
  });
});

describe('a directory', () => {
  const four = (directory: string) =>
    Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${directory}/${name}.ts`, '']));

  it('with too many files is refused', () => {
    expect(check(four('app/page/views'))).toEqual([
      'app/page/views has 4 files, and the limit is 3: split the directory',
    ]);
  });

  it('may have more files if it is listed as crowded, or lies below a directory without a limit', () => {
    const crowded = ['app/page/views'];
    expect(check({ ...four('app/page/views'), ...four('test/views') }, { crowded })).toEqual([]);
  });

  it('is refused as crowded if it is within the limit or does not exist', () => {
    expect(check({}, { crowded: ['app', 'gone'] })).toEqual([
      'app no longer has more than 3 files: remove it from `crowded`',
      'gone no longer has more than 3 files: remove it from `crowded`',
    ]);
  });
});

describe('ARCHITECTURE.md', () => {
  const begin = '<!-- Written by `npm run generate:boundaries`. -->\n';
  const end = '<!-- End of the table. -->';
  const directories = {
    'shared/*.ts': { holds: 'nouns' },
    'shared/plan': { holds: 'decisions', imports: 'shared/*.ts' },
    'shared/run': { holds: 'runs', imports: 'shared/*.ts shared/plan', packages: 'node:*' },
    functions: { holds: 'entry points', imports: 'shared systems' },
    systems: { holds: 'kinds', imports: 'shared/*.ts' },
    test: { holds: 'tests', imports: '*', packages: '*' },
  };
  const table = `| directory | holds | rests on |
|---|---|---|
| \`shared/*.ts\` | nouns | – |
| \`shared/plan/\` | decisions | \`*.ts\` |
| \`shared/run/\` | runs | \`plan\` |
| \`functions/\` | entry points | \`run\`, \`systems\` |
`;

  it('gets a new table with a row per directory and the topmost rows that it may import', () => {
    const document = (between: string) => `# Design\n\n${begin}${between}${end}\n\nMore.\n`;
    const written = withTable(document('old\n'), { ...rules, directories });
    expect(written).toBe(document(table));
    expect(withTable(written, { ...rules, directories })).toBe(written);
  });

  it.each(['', begin, end, end + begin])('is refused without both markers: %j', (document) => {
    expect(() => withTable(document, rules)).toThrow('add these lines where the table belongs');
  });
});
