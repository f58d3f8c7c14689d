import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { sourceExtension } from '../package-root.ts';

interface Asset {
  readonly type: string;
  readonly body: string;
}

type Assets = Readonly<Record<string, Asset>>;

const page = join(import.meta.dirname, 'page');

/** Returns the page's files by path, except `index.html`. Bundles the script, which takes about 50 ms. */
export async function readAssets(): Promise<Assets> {
  const [script, style, panels, icon] = await Promise.all([
    bundle(),
    readFile(join(page, 'style.css'), 'utf8'),
    readFile(join(page, 'panels.css'), 'utf8'),
    readFile(join(page, 'icon.svg'), 'utf8'),
  ]);
  return {
    '/page.js': { type: 'text/javascript; charset=utf-8', body: script },
    '/style.css': { type: 'text/css; charset=utf-8', body: style },
    '/panels.css': { type: 'text/css; charset=utf-8', body: panels },
    '/icon.svg': { type: 'image/svg+xml', body: icon },
  };
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(page, 'page.tsx')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    plugins: [compiledModules],
    // Ignores any tsconfig.json above the page, which may belong to another project.
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? '';
}

/** Resolves the page's imports of other code to compiled modules, because only the page is published as source. */
const compiledModules: Plugin = {
  name: 'compiled modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const module = join(resolveDir, path);
      if (module.startsWith(page)) return undefined;
      return { path: module.replace(/\.ts$/, sourceExtension) };
    });
  },
};

/** Inserts the token that the page's POSTs must carry. */
export async function readIndex(token: string): Promise<string> {
  const html = await readFile(join(page, 'index.html'), 'utf8');
  return html.replace('TOKEN', token);
}
