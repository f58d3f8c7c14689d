import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { website } from '../../systems/website.ts';
import { openCliGround } from '../cli/command-runner.ts';

/** An earlier version of Website, with another image. */
const older: Kind = {
  ...website,
  desired(resource, find) {
    const spec = { ...(resource.spec as object), imageTag: 'v0' };
    return website.desired({ ...resource, spec }, find);
  },
};

/** Uses the configuration of this repository, because each thread loads it from its file. */
test('the impact is the same on one thread and on several', async () => {
  const ground = await openCliGround();
  onTestFinished(() => ground.stop());
  const { api, directory, run } = ground;
  const fleet = join(directory, 'fleet');
  await mkdir(fleet);
  const kinds = [older];
  const record = (cluster: string) =>
    run(['resync', '--record', join(fleet, `${cluster}.jsonl`)], { kinds });
  await record('empty');
  for (const name of ['one', 'two'])
    await api.create(website, name, {
      spec: { imageTag: 'v1', nodePort: name === 'one' ? 30_001 : 30_002 },
    });
  await run(['resync'], { kinds });
  await record('us');
  await copyFile(join(fleet, 'us.jsonl'), join(fleet, 'asia.jsonl'));
  await writeFile(join(fleet, 'broken.jsonl'), '{}\n');
  const outputOn = async (threads: number) =>
    (await run(['impact', fleet, '--threads', `${threads}`, '-o', 'json'])).out;
  const output = await outputOn(1);
  expect(await outputOn(2)).toBe(output);
  const { clusters, effects, failures } = JSON.parse(output);
  const names = clusters.map(({ cluster }: { cluster: string }) => cluster);
  expect(names).toEqual(['asia', 'empty', 'us']);
  expect(effects).toEqual([{ effect: 'restart', kind: 'Deployment', children: 4, clusters: 2 }]);
  expect(failures).toMatchObject([{ cluster: 'broken' }]);
});
