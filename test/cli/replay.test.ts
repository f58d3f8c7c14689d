import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { database } from '../../systems/database.ts';
import { website } from '../../systems/website.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

let ground: CliGround;
let file = '';
beforeAll(async () => {
  ground = await openCliGround();
  file = join(ground.directory, 'run.jsonl');
});
afterAll(() => ground.stop());

describe('resync --record', () => {
  it('keeps what was read, decided and written, for its owner alone', async () => {
    const { api, run } = ground;
    await api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31500 } });
    await run(['resync']);
    await api.patch(deployment, 'shop', { spec: { replicas: 5 } }, { manager: 'kubectl' });
    await api.remove(service, 'shop');
    const plan = JSON.parse((await run(['plan', '-o', 'json'])).out).preview;
    const { code, err } = await run(['resync', '--record', file]);
    console.log(err);
    expect({ code }).toEqual({ code: 0 });
    const text = await readFile(file, 'utf8');
    console.log(text.slice(0, 3000));
    const one = await run(['replay', file]);
    console.log(one.code, one.out, one.err);
  });
});
