import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { rolloutFirstAnnotation } from '../../shared/kinds/names.ts';
import { names, openRolloutGround, type RolloutGround } from '../dashboard/rollout-ground.ts';
import { imageOf, kind } from '../properties/rollout-fleet.ts';
import { violationsOf, widthsOf } from '../support/accessibility.ts';
import { type Look, openBrowser, openPage } from '../support/browser.ts';

let browser: Browser;
let ground: RolloutGround;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  ground = await openRolloutGround();
});
afterEach(() => ground.stop());

async function withPage(act: (page: Page) => Promise<void>, look: Look = {}): Promise<void> {
  const { page, problems } = await openPage(browser, ground.dashboard.url, look);
  try {
    await act(page);
    expect(problems, 'problems that the browser reports').toEqual([]);
  } finally {
    await page.context().close();
  }
}

const pause = (page: Page) => page.getByRole('button', { name: 'Pause the rollout of Fleet' });
const resume = (page: Page) => page.getByRole('button', { name: 'Resume the rollout of Fleet' });
const says = (page: Page, text: string) => page.locator('.rollout', { hasText: text }).waitFor();
const dialog = (page: Page) => page.getByRole('dialog');
const confirm = (page: Page, name: string) =>
  dialog(page).getByRole('button', { name, exact: true }).click();
const open = (page: Page, name: string) =>
  page.locator('.resource', { has: page.locator('b', { hasText: `default/${name}` }) }).click();

const changed = async (): Promise<readonly string[]> =>
  (await ground.api.list(deployment))
    .filter((live) => imageOf(live) === 'v2')
    .map(({ metadata }) => metadata.name);

/** Returns the last waiting resource by name, which the rollout would not choose next. */
async function lastWaiting(): Promise<string> {
  const begun = await changed();
  const found = names.findLast((name) => !begun.includes(name));
  if (found === undefined) throw new Error('none waits');
  return found;
}

async function halt(page: Page): Promise<void> {
  ground.passTimeout();
  await ground.resync();
  await says(page, 'The rollout of Fleet is halted.');
}

describe('a rollout button of the dashboard', () => {
  it('pauses and resumes a rollout', () =>
    withPage(async (page) => {
      await pause(page).click();
      await dialog(page).getByText('no further Fleet is changed').waitFor();
      await confirm(page, 'Cancel');
      expect(await ground.annotation(), 'cancelled').toBeUndefined();
      await pause(page).click();
      await confirm(page, 'Pause');
      await dialog(page)
        .getByText('pausing the rollout of Fleet: 1 resource under way will continue')
        .waitFor();
      expect(await ground.annotation()).toBe('paused');
      await confirm(page, 'Close');
      await says(page, 'The rollout of Fleet is paused.');
      await ground.settled();
      await ground.resync();
      await ground.resync();
      expect(await changed()).toHaveLength(1);

      await resume(page).click();
      await dialog(page).getByText('continues with the waiting resources (4)').waitFor();
      await confirm(page, 'Resume');
      await dialog(page).getByText('resuming Fleet: 4 resources').waitFor();
      expect(await ground.annotation()).toBeUndefined();
      await ground.resync();
      expect(await changed()).toHaveLength(3);
    }));

  it('resumes after a halt, and ignores earlier failures', () =>
    withPage(async (page) => {
      await halt(page);
      await resume(page).click();
      await dialog(page).getByText('Failed resources (1) no longer halt the rollout').waitFor();
      await confirm(page, 'Resume');
      await dialog(page).getByText('no longer counted as failed: default/').waitFor();
      expect(await ground.annotation()).toMatch(/^20\d\d-/);
      await ground.resync();
      expect(await changed()).toHaveLength(2);
      await confirm(page, 'Close');
      await says(page, 'The rollout of Fleet is under way.');
    }));

  it('moves a resource to the front, and then disappears', () =>
    withPage(async (page) => {
      const name = await lastWaiting();
      await open(page, name);
      const button = page.getByRole('button', { name: 'Roll out first' });
      await button.click();
      await dialog(page)
        .getByText('Sets the annotation serverless-reconciler/rollout-first')
        .waitFor();
      await confirm(page, 'Roll out first');
      await dialog(page).getByText(`Fleet default/${name} will be changed first`).waitFor();
      await confirm(page, 'Close');
      await page.locator('.facts', { hasText: 'comes first in rollouts' }).waitFor();
      expect(await button.count()).toBe(0);
      const { metadata } = await ground.api.get(kind, name);
      expect(metadata.annotations).toMatchObject({ [rolloutFirstAnnotation]: 'true' });
      await ground.settled();
      await ground.resync();
      await ground.resync();
      expect(await changed()).toContain(name);
    }));

  it('changes nothing if the rollout has changed, and reports that', () =>
    withPage(async (page) => {
      await pause(page).click();
      await confirm(page, 'Pause');
      await confirm(page, 'Close');
      await says(page, 'The rollout of Fleet is paused.');
      await resume(page).click();
      ground.passTimeout();
      await ground.resync();
      await confirm(page, 'Resume');
      expect(await dialog(page).getByRole('alert').innerText()).toMatch(
        /has changed since it was shown, so nothing was written: look at it again/,
      );
      expect(await ground.annotation()).toBe('paused');
    }));

  it('can be used by keyboard alone, and returns the focus', () =>
    withPage(async (page) => {
      await pause(page).focus();
      await page.keyboard.press('Enter');
      await dialog(page).waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await page.keyboard.press('Space');
      await dialog(page).waitFor();
      await page.keyboard.press('Enter');
      await dialog(page).getByText('pausing the rollout of Fleet').waitFor();
      expect(await ground.annotation()).toBe('paused');
      await page.keyboard.press('Escape');
      await expect
        .poll(() => page.evaluate<string>('document.activeElement.getAttribute("aria-label")'))
        .toBe('Resume the rollout of Fleet');
    }));

  it('is not shown with --read-only', async () => {
    const { page } = await openPage(browser, ground.readOnly.url);
    await says(page, 'The rollout of Fleet is under way.');
    await open(page, await lastWaiting());
    await page.locator('.lead', { hasText: 'waits for a slot' }).waitFor();
    expect(await page.locator('.actions button, .rollout button').allInnerTexts()).toEqual([
      'Plan',
    ]);
    await page.context().close();
  });
});

describe.each(['light', 'dark'] as const)('axe finds no violation in %s', (theme) => {
  it.each([1280, 360])('%i px wide', (width) =>
    withPage(
      async (page) => {
        await pause(page).waitFor();
        expect(await violationsOf(page), 'under way').toEqual([]);
        await open(page, await lastWaiting());
        const first = page.getByRole('button', { name: 'Roll out first' });
        await first.waitFor();
        expect(await violationsOf(page), 'a waiting resource').toEqual([]);
        const { scroll, client } = await widthsOf(page);
        expect(scroll, 'nothing is wider than the page').toBe(client);
        await first.click();
        expect(await violationsOf(page), 'the dialog for going first').toEqual([]);
        await page.keyboard.press('Escape');
        await halt(page);
        await resume(page).click();
        expect(await violationsOf(page), 'halted, with the dialog for resuming').toEqual([]);
        await confirm(page, 'Cancel');
        expect(await violationsOf(page), 'halted').toEqual([]);
      },
      { theme, width },
    ),
  );
});
