import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Returns the violations that axe finds in the current page. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Injected through the protocol, because the content security policy refuses foreign scripts.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
}

/** Returns the width of the content and of the viewport. */
export const widthsOf = (
  page: Page,
): Promise<{ readonly scroll: number; readonly client: number }> =>
  page.evaluate(
    '({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth })',
  );
