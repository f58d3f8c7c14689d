import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type CliGround, openCliGround } from '../cli/command-runner.ts';
import { brokerKind } from './broker.ts';
import { cases, type ImpactGround, playImpact } from './impact-cases.ts';
import { publishedChanges } from './published-changes.ts';
import { shelfKind } from './shelf.ts';
import { writesOver } from './writes.ts';

let ground: CliGround & ImpactGround;
beforeAll(async () => {
  const opened = await openCliGround({ kinds: [shelfKind(), brokerKind()] });
  ground = { ...opened, writesOf: writesOver(opened.cluster) };
  await mkdir(join(ground.directory, 'before'));
});
afterAll(() => ground.stop());

playImpact(() => ground, [...cases, ...publishedChanges]);
