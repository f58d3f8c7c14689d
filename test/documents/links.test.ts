import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'terraform/README.md',
].concat(globSync('docs/**/*.md', { cwd: root }));

/** Returns the anchors that GitHub generates for the headings of a page. */
function anchorsOf(file: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```$/gms, '');
  for (const [, heading = ''] of text.matchAll(/^#+ (.*)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

it.each(pages)('the links of %s have targets', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
  const dead = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].filter(
    ([, path = '', anchor]) => {
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).has(anchor));
    },
  );
  expect(dead.map(([link]) => link)).toEqual([]);
});
