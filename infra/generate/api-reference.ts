import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../package-root.ts';
import { type Declaration, type Declarations, declarationsOf } from './declarations.ts';

interface Page {
  readonly file: string;
  readonly specifier: string;
  readonly module: string;
}

const localCluster = '@serverless-reconciler/local-cluster';
const pages: readonly Page[] = [
  { file: 'index.md', specifier: 'serverless-reconciler', module: 'index.ts' },
  {
    file: 'functions.md',
    specifier: 'serverless-reconciler/functions',
    module: 'functions/serve.ts',
  },
  { file: 'testing.md', specifier: 'serverless-reconciler/testing', module: 'testing/index.ts' },
  { file: 'types.md', specifier: 'serverless-reconciler/types', module: 'types/index.ts' },
  { file: 'local-cluster.md', specifier: localCluster, module: 'infra/local/cluster.ts' },
];

/** The module whose types are omitted, because Kubernetes documents them. */
const apiTypes = 'shared/kinds/child-types/api-types.ts';

/** Returns texts of pages by path. Throws if an export has no docstring. */
function apiReference(): ReadonlyMap<string, string> {
  const packages = Object.fromEntries(pages.map(({ specifier, module }) => [specifier, module]));
  const modules = pages.map(({ module }) => module);
  const all = declarationsOf(modules, packages);
  const undocumented = modules.flatMap((module) => exportsOf(module, all).filter(lacksDoc));
  if (undocumented.length > 0)
    throw new Error(
      undocumented.map(({ name, module }) => `${module}: ${name} has no docstring`).join('\n'),
    );
  const pageOf = new Map<Declaration, string>();
  for (const { module, file } of pages)
    for (const one of exportsOf(module, all)) pageOf.set(one, pageOf.get(one) ?? file);
  return new Map(
    pages.map((page) => {
      const { file } = page;
      const found = relatedTo(exportsOf(page.module, all), all, (one) => pageOf.has(one));
      for (const one of found) pageOf.set(one, pageOf.get(one) ?? file);
      return [join('docs', 'api', file), pageText(page, all, { found, pageOf })];
    }),
  );
}

const exportsOf = (module: string, all: Declarations): readonly Declaration[] =>
  [...all.exportsOf(module).values()].filter((one) => one !== undefined);

/** Matches child types, which docs/child-types.md describes. */
const isChildType = ({ text }: Declaration): boolean =>
  /^export declare const \w+: ChildType</.test(text);
/** Matches schemas of Kubernetes API types, which Kubernetes documents. */
const isOfKubernetes = ({ module }: Declaration): boolean => module === 'types/kubernetes.ts';
const isListed = (one: Declaration): boolean => isChildType(one) || isOfKubernetes(one);
const isNamespace = ({ text }: Declaration): boolean => /^export (type )?\* as/.test(text);
const isType = ({ text }: Declaration): boolean => /^export (interface|type)/.test(text);
const lacksDoc = (one: Declaration): boolean => one.doc === '' && !isListed(one);

interface Related {
  /** Declarations that the exports of a page refer to, including declarations on other pages. */
  readonly found: readonly Declaration[];
  readonly pageOf: ReadonlyMap<Declaration, string>;
}

function pageText(
  { specifier, module, file }: Page,
  all: Declarations,
  { found, pageOf }: Related,
): string {
  const ours = exportsOf(module, all);
  const others = [...all.exportsOf(module)].flatMap(([name, one]) => (one ? [] : [name]));
  const isHere = (one: Declaration): boolean => pageOf.get(one) === file;
  const sections = [
    ...ours.filter((one) => isHere(one) && !(isListed(one) && one.doc === '')),
    ...found.filter(isHere),
  ];
  const elsewhere = [...new Set([...ours, ...found])].flatMap((one) => {
    const page = pageOf.get(one);
    return isHere(one) || page === undefined ? [] : [`[${one.name}](${page})`];
  });
  const lines = {
    Values: ours.filter((one) => !isType(one) && !isListed(one)).map(linkIn(sections)),
    'Child types, all in [child-types.md](../child-types.md)': ours
      .filter(isChildType)
      .map(linkIn(sections)),
    "Types of Kubernetes' API": ours.filter(isOfKubernetes).map(linkIn(sections)),
    Types: ours.filter(isType).map(linkIn(sections)),
    'From the package `typebox`': others.map((name) => `\`${name}\``),
    'Described on another page': elsewhere,
  };
  const paragraphs = [
    `# \`${specifier}\``,
    'Written by `npm run generate:api` from the docstrings.',
    ...[all.headOf(module)].filter((head) => head !== ''),
    ...Object.entries(lines)
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `${what}: ${names.join(', ')}.`),
    ...sections.map(sectionOf),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

/** Links to the heading of a declaration. As on GitHub, headings that differ only in case are numbered. */
const linkIn =
  (sections: readonly Declaration[]) =>
  (one: Declaration): string => {
    const at = sections.indexOf(one);
    if (at < 0) return `\`${one.name}\``;
    const slug = one.name.toLowerCase();
    const before = sections.slice(0, at).filter(({ name }) => name.toLowerCase() === slug).length;
    return `[${one.name}](#${slug}${before === 0 ? '' : `-${before}`})`;
  };

function sectionOf(one: Declaration): string {
  const code = one.text
    .replaceAll(/^export (declare )?|^declare /gm, '')
    .replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
  return [
    `## ${one.name}`,
    ...(one.doc === '' ? [] : [markdown(one.doc)]),
    ...(isNamespace(one) ? [] : [`\`\`\`ts\n${code}\n\`\`\``]),
  ].join('\n\n');
}

/** Starts a paragraph at each line that begins with `Flow:`, `Guarantees:`, `Caveats:` or `Source:`. */
const markdown = (doc: string): string =>
  doc
    .replaceAll(/(^|\n)(Flow|Guarantees|Caveats|Source):/g, '\n\n**$2:**')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** Follows references, but not those within declarations on other pages. */
function relatedTo(
  from: readonly Declaration[],
  all: Declarations,
  isElsewhere: (one: Declaration) => boolean,
): readonly Declaration[] {
  const found = new Set(from);
  for (const one of found) {
    if (isElsewhere(one) && !from.includes(one)) continue;
    for (const [name] of withoutComments(one.text).matchAll(/\b[A-Za-z_]\w*\b/g)) {
      const target = name === one.name ? undefined : all.resolve(name, one);
      if (target !== undefined && isWorthIt(target)) found.add(target);
    }
  }
  return [...found].filter((one) => !from.includes(one));
}

const isWorthIt = ({ module, text }: Declaration): boolean =>
  module !== apiTypes && !text.includes(': unique symbol');

const withoutComments = (text: string): string => text.replaceAll(/\/\*\*.*?\*\//gs, '');

/** With `--check`, writes nothing, and fails if a page is out of date. */
if (import.meta.main) {
  const stale = [...apiReference()].filter(([path, text]) => textOf(path) !== text);
  if (process.argv.includes('--check')) {
    for (const [path] of stale)
      process.stderr.write(`${path} is out of date: run npm run generate:api\n`);
    if (stale.length > 0) process.exitCode = 1;
  } else
    for (const [path, text] of stale) {
      mkdirSync(dirname(join(packageRoot, path)), { recursive: true });
      writeFileSync(join(packageRoot, path), text);
      process.stdout.write(`${path}\n`);
    }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(join(packageRoot, path), 'utf8');
  } catch {
    return undefined;
  }
}
