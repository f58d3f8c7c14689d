import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type CliGround, openCliGround } from '../cli/command-runner.ts';
import { playImpact } from './impact-cases.ts';
import { shelfKind } from './shelf.ts';

let ground: CliGround;
beforeAll(async () => {
  ground = await openCliGround({ kinds: [shelfKind()] });
  await mkdir(join(ground.directory, 'before'));
});
afterAll(() => ground.stop());

playImpact(() => ground);
