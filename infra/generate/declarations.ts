import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { packageRoot } from '../package-root.ts';

/** A declaration as the compiler emits it. */
export interface Declaration {
  readonly name: string;
  /** The path from the root of the repository. */
  readonly module: string;
  /** Empty without a docstring. */
  readonly doc: string;
  /** With all overloads. */
  readonly text: string;
}

export interface Declarations {
  /** The docstring at the head of a module. */
  headOf(module: string): string;
  /** The names that a module exports, in order, with their declarations; undefined for a name from another package. */
  exportsOf(module: string): ReadonlyMap<string, Declaration | undefined>;
  /** The declaration that a name refers to in the text of `from`; undefined for a name from another package. */
  resolve(name: string, from: Declaration): Declaration | undefined;
}

interface Module {
  readonly head: string;
  readonly own: ReadonlyMap<string, Declaration>;
  /** Imported names, each with its original name and the specifier of its module. */
  readonly imported: ReadonlyMap<string, readonly [string, string]>;
  readonly exported: readonly string[];
}

/** `packages` maps our packages to their entry points. */
export function declarationsOf(
  entryPoints: readonly string[],
  packages: Readonly<Record<string, string>>,
): Declarations {
  const files = emitted(entryPoints);
  const modules = new Map<string, Module>();
  const moduleOf = (name: string): Module => {
    const known = modules.get(name) ?? parseModule(name, files(name));
    modules.set(name, known);
    return known;
  };
  const find = (name: string, module: string): Declaration | undefined => {
    const { own, imported } = moduleOf(module);
    const [original, specifier] = imported.get(name) ?? [];
    if (original === undefined || specifier === undefined) return own.get(name);
    const target = specifier.startsWith('.')
      ? normalize(join(dirname(module), specifier))
      : packages[specifier];
    return target === undefined ? undefined : find(original, target);
  };
  return {
    headOf: (module) => moduleOf(module).head,
    exportsOf: (module) =>
      new Map(moduleOf(module).exported.map((name) => [name, find(name, module)])),
    resolve: (name, { module }) => find(name, module),
  };
}

/** Returns a function that finds the emitted declarations of a module. */
function emitted(entryPoints: readonly string[]): (module: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'declarations-'));
  try {
    const project = join(directory, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: packageRoot,
      outDir: directory,
      types: ['node'],
      typeRoots: [join(packageRoot, 'node_modules', '@types')],
    };
    const base = { extends: join(packageRoot, 'tsconfig.json'), compilerOptions, include: [] };
    const sources = entryPoints.map((module) => join(packageRoot, module));
    writeFileSync(project, JSON.stringify({ ...base, files: sources }));
    const tsc = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    // Uses a single thread, because with several the compiler (7.0.2) sometimes omits a file.
    execFileSync(process.execPath, [tsc, '-p', project, '--singleThreaded']);
    const strings = new Map(
      readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.d.ts'))
        .map((path) => [path, readFileSync(join(directory, path), 'utf8')]),
    );
    return (module) => {
      const text = strings.get(module.replace(/[.]ts$/, '.d.ts'));
      if (text === undefined)
        throw new Error(`${module} was not compiled: add it to the entry points`);
      return text;
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const declared =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/;
const fromOther = /^(import|export) (?:type )?\{([^}]*)\} from '([^']+)';/;
const namespace = /^export (?:type )?\* as (\w+) from/;

/** Matches the docstrings of union members. The compiler puts these docstrings in the first column. */
const ofMember = /(?<= = ?\n)\/\*\*(?:(?!\*\/).)*\*\/\n|\/\*\*(?:(?!\*\/).)*\*\/(?=\n \|)/gs;

/** Relies on the compiler's layout: except in unions, only declarations and docstrings begin in the first column. */
export function parseModule(module: string, text: string): Module {
  const own = new Map<string, Declaration>();
  /** Matches `import("x").Type`, which the compiler writes for a type that the module does not import. */
  const inline = /import\("([^"]+)"\)\.(\w+)/g;
  const imported = new Map<string, readonly [string, string]>(
    [...text.matchAll(inline)].map(([, from = '', name = '']) => [name, [name, from]]),
  );
  const exported: string[] = [];
  let head = '';
  let doc = '';
  for (const [index, piece] of text
    .replaceAll(inline, '$2')
    .replaceAll(ofMember, (comment) => `  ${comment}${comment.endsWith('\n') ? '  ' : ''}`)
    .split(/^(?=[^\s})\]])/m)
    .entries()) {
    if (piece.startsWith('/**')) {
      doc = docText(piece);
      if (index === 0) head = doc;
      continue;
    }
    const [, direction, names = '', specifier = ''] = fromOther.exec(piece) ?? [];
    for (const [name, original] of namesIn(names)) {
      imported.set(name, [original, specifier]);
      if (direction === 'export') exported.push(name);
    }
    for (const [name] of namesIn(/^export (?:type )?\{([^}]*)\};/.exec(piece)?.[1] ?? ''))
      exported.push(name);
    const [, name = namespace.exec(piece)?.[1]] = declared.exec(piece) ?? [];
    if (name !== undefined) {
      const before = own.get(name);
      const all = [before?.text ?? '', piece.trimEnd()].filter((one) => one !== '').join('\n');
      own.set(name, { name, module, doc: before?.doc || doc, text: all });
      if (before === undefined && piece.startsWith('export')) exported.push(name);
    }
    doc = '';
  }
  return { head, own, imported, exported };
}

/** Parses `type A, b as C` into [A, A] and [C, b]. */
const namesIn = (list: string): readonly (readonly [string, string])[] =>
  list.split(',').flatMap((one) => {
    const [, original = '', name = original] =
      /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(one) ?? [];
    return original === '' ? [] : [[name, original] as const];
  });

const docText = (comment: string): string =>
  comment
    .trim()
    .replace(/^\/\*\*\s?/, '')
    .replace(/\s*\*\/$/, '')
    .replaceAll(/^ *\* ?/gm, '')
    .trim();
