import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds in the page as it is now. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // By the protocol, as the policy of the page refuses other scripts.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
}

/** How wide the contents of the page are, and the page. */
export const widthsOf = (
  page: Page,
): Promise<{ readonly scroll: number; readonly client: number }> =>
  page.evaluate(
    '({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth })',
  );
