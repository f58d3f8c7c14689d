import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import { application } from '../../systems/application.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Look, openBrowser, openPage } from '../support/browser.ts';
import { type DashboardGround, openDashboardGround, post } from './ground.ts';

/** `npm run screenshots`: retakes the pictures of the dashboard on an embedded cluster. */
const directory = join(import.meta.dirname, '..', '..', 'docs', 'images');

const looks: Readonly<Record<string, Look>> = {
  light: { theme: 'light', width: 1080, height: 640 },
  dark: { theme: 'dark', width: 1080, height: 640 },
  phone: { theme: 'light', width: 360, height: 640 },
  'phone-dark': { theme: 'dark', width: 360, height: 640 },
};

const names = ['shop', 'docs', 'blog', 'forum', 'status', 'search'];

await mkdir(directory, { recursive: true });
const browser = await openBrowser();
const ground = await openDashboardGround();
const { api } = ground;
const resync = () => post(ground.dashboard.url, 'resync', { request: {} });

for (const [at, name] of names.entries())
  await api.create(website, name, { spec: { imageTag: '1.4', nodePort: 31800 + at } });
await api.create(application, 'greeter', { spec: { greeting: 'hello' } });
await settle();
await take('all-well', { select: 'shop', state: 'In sync' });

await api.patch(deployment, 'shop', { spec: { replicas: 5 } });
await api.remove(service, 'docs');
await api.patch(website, 'blog', { metadata: { annotations: { [suspendAnnotation]: 'true' } } });
await resync();
await api.patch(deployment, 'shop', { spec: { replicas: 5 } });
await api.remove(service, 'docs');
await take('drift', { select: 'shop', state: 'Drifted' });

await api.create(website, 'intranet', { spec: { imageTag: '2.0', nodePort: 31800 } });
await api.create(foo, 'legacy', { spec: { deploymentName: 'shop', replicas: 1 } });
await settle();
await take('blocked', { select: 'intranet', state: 'Blocked' });

for (let at = 0; at < 492; at++)
  await api.create(foo, `worker-${at}`, { spec: { deploymentName: `worker-${at}`, replicas: 1 } });
await settle();
await api.patch(deployment, 'worker-17', { spec: { replicas: 4 } });
await take('500-resources', { select: 'worker-17', state: 'Drifted' });
await takeWithoutServer(browser, ground);
await browser.close();

/** Resyncs until nothing is in progress. */
async function settle(): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await resync();
    await ground.cluster.controllers.settled();
  }
}

interface Chosen {
  readonly select: string;
  readonly state: string;
}

async function take(name: string, chosen: Chosen): Promise<void> {
  for (const [look, how] of Object.entries(looks)) {
    const { page } = await openPage(browser, ground.dashboard.url, how);
    await show(page, chosen, look.startsWith('phone'));
    await page.screenshot({ path: join(directory, `${name}-${look}.png`) });
    await page.context().close();
  }
}

/** Waits for the row of the resource in this state; on a desktop also opens its details. */
async function show(page: Page, { select: name, state }: Chosen, isPhone: boolean): Promise<void> {
  const row = page
    .locator('.resource', { hasText: `default/${name} ` })
    .filter({ hasText: state })
    .first();
  await row.waitFor();
  if (isPhone) return;
  await row.click();
  await page.locator('.facts', { hasText: 'created' }).waitFor();
}

async function takeWithoutServer(own: Browser, { dashboard, stop }: DashboardGround) {
  const pages = await Promise.all(
    Object.entries(looks).map(async ([look, how]) => ({
      look,
      ...(await openPage(own, dashboard.url, how)),
    })),
  );
  await stop();
  for (const { look, page } of pages) {
    await page.getByText('The dashboard is not responding.').waitFor();
    await page.screenshot({ path: join(directory, `server-gone-${look}.png`) });
  }
}
