import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { website } from '../../systems/website.ts';
import { createTestEnvironment } from '../../testing/index.ts';

it('W-3 the second of two Websites without a node port names the first, and the remedy of docs/systems.md helps', async () => {
  const page = await readFile(new URL('../../docs/systems.md', import.meta.url), 'utf8');
  const [, patch = ''] = /kubectl patch website second --type merge -p '(.*)'/.exec(page) ?? [];
  const env = await createTestEnvironment({ kinds: [website] });
  onTestFinished(() => env.close());
  for (const name of ['first', 'second']) {
    await env.apply(website, { name, spec: { imageTag: 'v1' } });
    await env.resync();
  }
  expect((await env.conditions(website, 'second')).Stalled).toMatchObject({
    reason: 'NodePortTaken',
    message:
      'node port 31000 is held by Service default/first: choose another one, or free it there',
  });

  await env.patch(website, 'second', { body: JSON.parse(patch) });
  await env.resync();
  await env.resync();
  for (const name of ['first', 'second'])
    expect((await env.conditions(website, name)).Ready?.status).toBe('True');
});
