import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunTimeline } from '../../infra/dashboard/views.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { pod, service } from '../../shared/kinds/child-types/core.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { application } from '../../systems/application.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import {
  type DashboardGround,
  openDashboardGround,
  openDashboardOn,
  post,
} from '../dashboard/ground.ts';
import { startLogRelay } from '../dashboard/log-relay.ts';
import { manyResources, startSynthetic } from '../dashboard/synthetic.ts';
import { controllerOf, type Live } from '../scenarios/api.ts';
import { violationsOf, widthsOf } from '../support/accessibility.ts';
import { type Look, openBrowser, openPage } from '../support/browser.ts';

let ground: DashboardGround;
let browser: Browser;
beforeAll(async () => {
  ground = await openDashboardGround();
  browser = await openBrowser();
  const { api } = ground;
  for (const [at, name] of ['well', 'drifted', 'missing', 'foreign', 'suspended'].entries())
    await api.create(website, name, { spec: { imageTag: 'v1', nodePort: 31720 + at } });
  await api.create(foo, 'invalid', { spec: { deploymentName: 'well' } });
  await api.create(application, 'quiet', { spec: { greeting: 'open-sesame' } });
  const { page } = await openPage(browser, ground.dashboard.url);
  await resyncEverything(page);
  await page.context().close();
  await api.patch(deployment, 'drifted', { spec: { replicas: 7 } });
  await api.remove(service, 'missing');
  await api.remove(service, 'foreign');
  await api.create(service, 'foreign', { spec: { ports: [{ port: 80 }] } });
  await api.patch(website, 'suspended', {
    metadata: { annotations: { [suspendAnnotation]: 'true' } },
  });
  await api.patch(deployment, 'suspended', { spec: { replicas: 9 } });
});
afterAll(async () => {
  await browser.close();
  await ground.stop();
});

async function resyncEverything(page: Page): Promise<void> {
  for (const name of ['well', 'drifted', 'missing', 'foreign', 'suspended', 'invalid', 'quiet']) {
    await open(page, name);
    await press(page, 'Resync', 'Resync');
  }
}

const row = (page: Page, name: string) =>
  page.locator('.resource', { has: page.locator('b', { hasText: `default/${name}` }) });
const open = (page: Page, name: string) => row(page, name).click();
const stateOf = (page: Page, name: string) => row(page, name).locator('.badge');

/** Presses a button, then the confirming one in the dialog; returns the result. */
async function press(page: Page, button: string, confirm: string): Promise<string> {
  await page.locator('.actions').getByRole('button', { name: button, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: confirm, exact: true }).click();
  const text = await dialog
    .locator('[role=status] p, [role=alert]')
    .filter({ hasNotText: '…' })
    .first()
    .innerText();
  await dialog.getByRole('button', { name: 'Close' }).click();
  return text;
}

/** Opens a page for `act`, and closes it afterwards. */
async function withPage<T>(act: (page: Page) => Promise<T>, look: Look = {}): Promise<T> {
  const { page, problems } = await openPage(browser, ground.dashboard.url, look);
  try {
    const result = await act(page);
    expect(problems, 'problems that the browser reports').toEqual([]);
    return result;
  } finally {
    await page.context().close();
  }
}

describe('the dashboard shows', () => {
  it('every state, worst first', () =>
    withPage(async (page) => {
      for (const [name, state] of Object.entries({
        foreign: 'Foreign',
        missing: 'Missing',
        drifted: 'Drifted',
        suspended: 'Suspended',
        well: 'In sync',
        invalid: 'Foreign',
        quiet: 'In sync',
      }))
        await expect.poll(() => stateOf(page, name).innerText()).toBe(state);
      const names = await page.locator('.resource .title b').allInnerTexts();
      const bad = ['foreign', 'invalid', 'missing', 'drifted', 'suspended'];
      expect(names.slice(0, 5).toSorted()).toEqual(bad.map((name) => `default/${name}`).toSorted());
    }));

  it('exactly the resources of the cluster', () =>
    withPage(async (page) => {
      const live = await Promise.all(
        [website, foo, application].map((kind) => ground.api.list(kind)),
      );
      const names = live.flat().map(({ metadata }) => `default/${metadata.name}`);
      await expect
        .poll(async () => (await page.locator('.resource .title b').allInnerTexts()).toSorted())
        .toEqual(names.toSorted());
    }));

  it('differences by field, with writer and time', () =>
    withPage(async (page) => {
      await open(page, 'drifted');
      const cells = page.locator('.differences tbody').locator('th, td');
      const [path, is, desired, by] = await cells.allInnerTexts();
      expect([path, is, desired]).toEqual(['spec.replicas', '7', '2']);
      expect(by).toMatch(/^\S+, \d+s ago$/);
      const { metadata } = (await ground.api.get(deployment, 'drifted')) ?? {};
      expect(metadata?.managedFields?.map(({ manager }) => manager)).toContain(by?.split(',')[0]);
    }));

  it('changes of the cluster without a reload', () =>
    withPage(async (page) => {
      await ground.api.create(website, 'late', { spec: { imageTag: 'v1', nodePort: 31740 } });
      await row(page, 'late').waitFor();
      await ground.api.remove(website, 'late');
      await row(page, 'late').waitFor({ state: 'detached' });
    }));

  it('D-3 no value of a Secret', () =>
    withPage(async (page) => {
      await open(page, 'quiet');
      await page.locator('.tree li').nth(2).waitFor();
      for (const child of await page.locator('.tree summary').all()) await child.click();
      await expect.poll(() => page.locator('.tree .code').count()).toBe(3);
      await page.getByText('GREETING_MESSAGE: (secret)').waitFor();
      const html = await page.content();
      for (const text of ['open-sesame', Buffer.from('open-sesame').toString('base64')])
        expect(html).not.toContain(text);
    }));
});

describe('the details of a resource in the dashboard', () => {
  it('contain its manifest and those of its children, each read only when opened', () =>
    withPage(async (page) => {
      const posts: string[] = [];
      page.on('request', (sent) => {
        if (sent.method() === 'POST') posts.push(new URL(sent.url()).pathname);
      });
      await open(page, 'well');
      await page.locator('.facts', { hasText: 'created' }).waitFor();
      expect(new Set(posts)).toEqual(new Set(['/detail']));
      await page.locator('summary', { hasText: 'Manifest of Website well' }).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Manifest of Website well').getByText('imageTag: v1').waitFor();
      expect(posts.filter((path) => path !== '/detail')).toEqual(['/manifest']);
      await page.locator('summary', { hasText: 'Manifest of Deployment well' }).click();
      const manifest = page.getByLabel('Manifest of Deployment well');
      await manifest.getByText('readyReplicas: 2').waitFor();
      const marked = (await manifest.locator('mark').allInnerTexts()).join('\n');
      expect(marked).toContain('replicas: 2');
      expect(marked).not.toContain('readyReplicas');
    }));

  it('contain the reason why a child is not ready: its pods, Events and last log lines', async () => {
    const relay = await startLogRelay(ground.cluster, () => 'starting\nno database');
    const kubeconfig = () => ground.cluster.kubeconfig().replaceAll(ground.cluster.url, relay.url);
    const dashboard = await openDashboardOn({ kubeconfig });
    const { page, problems } = await openPage(browser, dashboard.url, { width: 360 });
    await ground.cluster.controllers.pause();
    const live = await ground.api.patch(deployment, 'well', {
      spec: { template: { metadata: { annotations: { now: 'unready' } } } },
    });
    await crashingPod(live);
    await open(page, 'well');
    await page.locator('summary', { hasText: 'Pods, Events and logs' }).click();
    await page.locator('.pods li', { hasText: 'well-1' }).getByText('CrashLoopBackOff').waitFor();
    await page.getByLabel('Log of web in well-1').getByText('no database').waitFor();
    await page.locator('.events').getByText('Back-off restarting').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const { scroll, client } = await widthsOf(page);
    expect(scroll, 'nothing is wider than the page').toBe(client);
    expect(problems).toEqual([]);
    await ground.api.remove(pod, 'well-1');
    await ground.cluster.controllers.resume();
    await page.context().close();
    await dashboard.stop();
    await relay.stop();
  });

  it('contain its history: Events, conditions, changes and runs', () =>
    withPage(async (page) => {
      await open(page, 'invalid');
      const history = page.locator('.history');
      await history.getByText('Ready became False').first().waitFor();
      await history.getByText('Foo invalid created').waitFor();
      const times = await history
        .locator('time')
        .evaluateAll((all) => all.map((one) => one.getAttribute('datetime') ?? ''));
      const parsed = times.map((time) => Date.parse(time));
      expect(parsed).toEqual(parsed.toSorted((a, b) => b - a));
    }));
});

/** Creates a pod of the Deployment whose container crashes, and its Event. */
async function crashingPod(owner: Live): Promise<void> {
  const { selector } = owner.spec as { selector: { matchLabels: JsonObject } };
  const name = 'well-1';
  const { metadata } = await ground.api.create(pod, name, {
    metadata: { labels: selector.matchLabels, ownerReferences: [controllerOf(owner)] },
    spec: { containers: [{ name: 'web', image: 'w' }] },
  });
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const lastState = { terminated: { exitCode: 1 } };
  const status = { name: 'web', image: 'w', imageID: '', ready: false, restartCount: 2 };
  await ground.api.patch(
    pod,
    name,
    { status: { phase: 'Running', containerStatuses: [{ ...status, state, lastState }] } },
    { subresource: 'status' },
  );
  await ground.api.create(eventType, 'well-back-off', {
    involvedObject: { kind: 'Pod', namespace: 'default', name, uid: metadata.uid },
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
  });
}

describe('a button of the dashboard', () => {
  it('is not shown for a plan without changes', () =>
    withPage(async (page) => {
      await open(page, 'invalid');
      for (const button of ['Plan and apply', 'Resync']) {
        await page.getByRole('button', { name: button }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Nothing to apply.').waitFor();
        expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Cancel']);
        await page.keyboard.press('Escape');
      }
    }));

  it('plans, and applies exactly the shown plan', () =>
    withPage(async (page) => {
      await open(page, 'drifted');
      await page.getByRole('button', { name: 'Plan and apply' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('spec.replicas 7 → 2').first().waitFor();
      expect(await ground.api.get(deployment, 'drifted')).toMatchObject({ spec: { replicas: 7 } });
      await dialog.getByRole('button', { name: 'Apply this plan' }).click();
      await dialog.getByText('1 reconciled').waitFor();
      expect(await ground.api.get(deployment, 'drifted')).toMatchObject({ spec: { replicas: 2 } });
      await page.keyboard.press('Escape');
      await expect.poll(() => stateOf(page, 'drifted').innerText()).not.toBe('Drifted');
    }));

  it('applies no stale plan, and reports that', () =>
    withPage(async (page) => {
      await ground.api.patch(deployment, 'drifted', { spec: { replicas: 3 } });
      await expect
        .poll(() => stateOf(page, 'drifted').innerText(), { timeout: 8_000 })
        .toBe('Drifted');
      await open(page, 'drifted');
      await page.getByRole('button', { name: 'Plan and apply' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('spec.replicas 3 → 2').first().waitFor();
      await ground.api.patch(deployment, 'drifted', { spec: { replicas: 4 } });
      await dialog.getByRole('button', { name: 'Apply this plan' }).click();
      expect(await dialog.getByRole('alert').innerText()).toMatch(
        /^the plan is stale, so nothing was/,
      );
      expect(await ground.api.get(deployment, 'drifted')).toMatchObject({ spec: { replicas: 4 } });
    }));

  it('makes a resync', () =>
    withPage(async (page) => {
      await open(page, 'missing');
      expect(await press(page, 'Resync', 'Resync')).toMatch(/children: 1 created/);
      expect(await ground.api.get(service, 'missing')).toBeDefined();
      await expect.poll(() => stateOf(page, 'missing').innerText()).toBe('In sync');
      await page.getByRole('button', { name: 'Runs' }).click();
      await page.getByText('dashboard', { exact: true }).first().waitFor();
    }));

  it('C-14 suspends and resumes a resource', () =>
    withPage(async (page) => {
      await open(page, 'well');
      await press(page, 'Suspend', 'Suspend');
      await expect.poll(() => stateOf(page, 'well').innerText()).toBe('Suspended');
      expect((await ground.api.get(website, 'well'))?.metadata.annotations).toMatchObject({
        [suspendAnnotation]: 'true',
      });
      await press(page, 'Resume', 'Resume');
      await expect.poll(() => stateOf(page, 'well').innerText()).not.toBe('Suspended');
      expect((await ground.api.get(website, 'well'))?.metadata.annotations).toBeUndefined();
    }));

  it('is not shown with --read-only', async () => {
    const readOnly = await openDashboardOn(ground.cluster, { readOnly: true });
    const { page } = await openPage(browser, readOnly.url);
    await open(page, 'foreign');
    expect(await page.locator('.actions button').allInnerTexts()).toEqual(['Plan']);
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.getByRole('dialog').getByText('ErrResourceExists').first().waitFor();
    expect(await page.getByRole('dialog').getByRole('button').allInnerTexts()).toEqual(['Cancel']);
    await page.context().close();
    await readOnly.stop();
  });
});

describe('a resource among many can be found', () => {
  it('by text, kind, namespace and state, and the filters reset', () =>
    withPage(async (page) => {
      const count = () => page.locator('.resource').count();
      await expect.poll(count).toBe(7);
      await page.keyboard.press('/');
      await page.keyboard.type('foreign');
      await expect.poll(count).toBe(1);
      await page.getByLabel('Search resources').fill('nothing like it');
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByLabel('Kind').selectOption('Application');
      await expect.poll(count).toBe(1);
      await page.getByLabel('Kind').selectOption('');
      await page.locator('.chip.idle').click();
      expect(await page.locator('.resource .title b').allInnerTexts()).toEqual([
        'default/suspended',
      ]);
    }));

  it('by keyboard alone', () =>
    withPage(async (page) => {
      const selected = () => page.locator('[aria-selected=true] .title b').innerText();
      await expect.poll(() => page.locator('.resource').count()).toBe(7);
      await page.keyboard.press('j');
      const first = await selected();
      await page.keyboard.press('j');
      expect(await selected()).not.toBe(first);
      await page.keyboard.press('k');
      expect(await selected()).toBe(first);
      await page.keyboard.press('Enter');
      await page.locator('.detail h2', { hasText: first }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.detail h2').waitFor({ state: 'detached' });
    }));
});

describe('by keyboard', () => {
  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText',
    );

  it('Esc returns the focus from the details to the list', () =>
    withPage(async (page) => {
      await open(page, 'foreign');
      await page.getByRole('button', { name: 'Plan and apply' }).focus();
      await page.keyboard.press('Escape');
      await expect.poll(() => focused(page)).toMatch(/^\d+ of \d+ resources$/);
    }));

  it('the arrow keys scroll the details and the runs, and choose no other resource', () =>
    withPage(
      async (page) => {
        await open(page, 'foreign');
        await page.locator('.history li').first().waitFor();
        await page.locator('.panel summary').first().focus();
        await page.keyboard.press('ArrowDown');
        await expect.poll(() => scrolledOf(page, '.detail')).toBeGreaterThan(0);
        await page.locator('.detail h2', { hasText: 'default/foreign' }).waitFor();
        await page.getByRole('button', { name: 'Runs' }).click();
        await page.locator('.runs li').nth(5).waitFor();
        await page.locator('.runs').focus();
        await page.keyboard.press('ArrowDown');
        await expect.poll(() => scrolledOf(page, '.runs')).toBeGreaterThan(0);
      },
      { height: 260 },
    ));

  it('the focus stays in a dialog, and returns to the button that opened it', () =>
    withPage(async (page) => {
      await open(page, 'quiet');
      for (const [button, then] of [
        ['Suspend', 'Resume'],
        ['Resume', 'Suspend'],
      ] as const) {
        await page.locator('.actions').getByRole('button', { name: button }).focus();
        await page.keyboard.press('Enter');
        await page.locator('dialog[open] button:focus').waitFor();
        await page.keyboard.press('Enter');
        await page
          .getByRole('dialog')
          .getByText(/is (suspended|resumed)/)
          .waitFor();
        expect(await focused(page)).toBe('Close');
        await page.keyboard.press('Escape');
        await expect.poll(() => focused(page)).toBe(then);
      }
    }));
});

const scrolledOf = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`document.querySelector('${selector}').scrollTop`);

it('a phone shows the list again when the chosen resource is deleted', () =>
  withPage(
    async (page) => {
      await ground.api.create(website, 'brief', { spec: { imageTag: 'v1', nodePort: 31750 } });
      await open(page, 'brief');
      await page.locator('.detail h2').waitFor();
      await ground.api.remove(website, 'brief');
      await page.locator('.detail h2').waitFor({ state: 'detached' });
      await row(page, 'foreign').waitFor();
    },
    { width: 390 },
  ));

describe.each(['light', 'dark'] as const)('axe finds no violation in %s', (theme) => {
  it.each([1280, 360])('%i px wide', (width) =>
    withPage(
      async (page) => {
        await row(page, 'drifted').waitFor();
        expect(await violationsOf(page), 'the list').toEqual([]);
        await open(page, 'drifted');
        await page.locator('.tree li').first().waitFor();
        await page.locator('.tree summary', { hasText: 'Manifest of Deployment' }).click();
        await page.locator('.code').waitFor();
        expect(await violationsOf(page), 'details').toEqual([]);
        const { scroll, client } = await widthsOf(page);
        expect(scroll, 'nothing is wider than the page').toBe(client);
        await page.getByRole('button', { name: 'Plan and apply' }).click();
        await page.getByRole('dialog').locator('.steps').waitFor();
        expect(await violationsOf(page), 'a plan').toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Runs' }).click();
        expect(await violationsOf(page), 'runs').toEqual([]);
      },
      { theme, width },
    ),
  );
});

describe('the dashboard stays usable if', () => {
  it('Events cannot be read: its runs report that, and the resources are still shown', async () => {
    const reported = (): RunTimeline => ({
      source: 'events',
      runs: [],
      failure: 'it is forbidden',
    });
    const dashboard = await openDashboardOn(ground.cluster, { reported });
    const { page } = await openPage(browser, dashboard.url);
    await row(page, 'well').waitFor();
    await page.getByRole('button', { name: 'Runs' }).click();
    await page.getByText('The Events cannot be read: it is forbidden').waitFor();
    expect(await page.locator('.notice.bad').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.context().close();
    await dashboard.stop();
  });

  it('its process ends: it reports that, keeps its content, and reconnects', async () => {
    const first = await startSynthetic(manyResources(3));
    const { page } = await openPage(browser, first.url);
    await page.locator('.resource').first().waitFor();
    await first.stop();
    await page.getByText('The dashboard is not responding.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.locator('.resource').count()).toBe(3);
    const again = await startSynthetic(manyResources(4), Number(new URL(first.url).port));
    await expect.poll(() => page.locator('.resource').count(), { timeout: 30_000 }).toBe(4);
    expect(await page.getByText('The dashboard is not responding.').count()).toBe(0);
    await page.context().close();
    await again.stop();
  });

  it('the cluster cannot be read or a kind cannot be listed: it shows the remedy', async () => {
    const failing = await startSynthetic(() => {
      throw new Error('no response from the API server; is it running and reachable from here?');
    });
    const { page } = await openPage(browser, failing.url);
    await page.getByText('is it running and reachable from here?').waitFor();
    await page.context().close();
    await failing.stop();
    const partial = await startSynthetic(
      manyResources(1, ['foos.example.com could not be listed']),
    );
    const other = await openPage(browser, partial.url);
    await other.page.getByText('foos.example.com could not be listed').waitFor();
    await other.page.context().close();
    await partial.stop();
  });

  it('the cluster no longer responds: it keeps its content, and is not live', async () => {
    let responds = true;
    const many = await startSynthetic(() => {
      if (responds) return manyResources(3)();
      throw new Error('no response from the API server');
    });
    const { page } = await openPage(browser, many.url);
    await page.locator('.live', { hasText: /^Live, read/ }).waitFor();
    responds = false;
    await post(many.url, 'resync', { request: {} });
    await page.getByText('The cluster cannot be read.').waitFor();
    expect(await page.locator('.live').innerText()).toMatch(/^Not live, read \d+s ago$/);
    expect(await page.locator('.resource').count()).toBe(3);
    await page.context().close();
    await many.stop();
  });

  it('there are no resources: it shows the next step', async () => {
    const empty = await startSynthetic(manyResources(0));
    const { page } = await openPage(browser, empty.url);
    await page.getByText('kubectl apply').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.context().close();
    await empty.stop();
  });
});

it('the dashboard renders few rows of 2,000 resources, and scrolls and searches without delay', async () => {
  const many = await startSynthetic(manyResources(2000));
  const { page, problems } = await openPage(browser, many.url);
  expect(await page.locator('.resource').count()).toBeLessThan(60);
  const scrolling = await page.evaluate<number>(`(async () => {
    const list = document.querySelector('.list');
    const frames = [];
    for (let at = 0; at < 60; at++) {
      list.scrollTop += 1500;
      const began = performance.now();
      await new Promise(requestAnimationFrame);
      frames.push(performance.now() - began);
    }
    return frames.sort((a, b) => a - b)[30];
  })()`);
  const began = Date.now();
  await page.getByLabel('Search resources').fill('shop-1999');
  await expect.poll(() => page.locator('.resource').count(), { interval: 5 }).toBe(1);
  const searchMs = Date.now() - began;
  process.stdout.write(
    `2,000 resources: median frame ${scrolling.toFixed(0)} ms, a search ${searchMs} ms\n`,
  );
  expect(scrolling).toBeLessThan(100);
  expect(searchMs).toBeLessThan(2_000);
  expect(problems).toEqual([]);
  await page.context().close();
  await many.stop();
});

it('the list of the dashboard is filled to its end, in a tall window and after a search without result', async () => {
  const many = await startSynthetic(manyResources(200));
  const { page } = await openPage(browser, many.url, { height: 2000 });
  const isFilled = (): Promise<boolean> =>
    page.evaluate(`(() => {
      const list = document.querySelector('.list').getBoundingClientRect();
      const rows = [...document.querySelectorAll('.resource')].map((one) => one.getBoundingClientRect());
      return rows[0].top <= list.top + 1 && rows.at(-1).bottom >= list.bottom;
    })()`);
  await expect.poll(isFilled).toBe(true);
  await page.evaluate(`document.querySelector('.list').scrollTop = 5000`);
  await page.getByText('shop-102 ').waitFor();
  await page.getByLabel('Search resources').fill('nothing like it');
  await page.getByText('No resource matches.').waitFor();
  await page.getByLabel('Search resources').fill('');
  await expect.poll(isFilled).toBe(true);
  await page.context().close();
  await many.stop();
});
