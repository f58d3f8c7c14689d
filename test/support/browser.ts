import { type Browser, chromium, type Page } from 'playwright-core';

export interface Look {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** Launches Debian's Chromium, headless. */
export const openBrowser = (): Promise<Browser> =>
  // Chromium has no sandbox for root, which CI runs as.
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Opens a page with a new profile; `problems` collects the errors that it reports. */
export async function openPage(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1280, height = 800 }: Look = {},
): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    // The page shows a 409 to the user, so it is not a problem.
    const isRefusal = line.text().includes('status of 409');
    if (line.type() === 'error' && !isRefusal) problems.push(line.text());
  });
  await page.goto(url);
  await page.waitForSelector('.resource, .nothing, .notice.bad');
  return { page, problems };
}
