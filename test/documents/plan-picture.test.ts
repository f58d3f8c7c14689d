import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands, imageDirectory, planPictures } from './plan-picture.ts';

it('the pictures of the README show its commands and their output', async () => {
  const readme = await readFile(join(imageDirectory, '../../README.md'), 'utf8');
  for (const command of commands) expect(readme).toContain(`\n${command}\n`);
  for (const [name, text] of Object.entries(await planPictures())) {
    expect(text).toContain('spec.replicas 5 → 2, changed by kubectl');
    expect(readme).toContain(`docs/images/${name}`);
    const drawn = await readFile(join(imageDirectory, name), 'utf8');
    expect(drawn, 'npm run screenshots:plan redraws it').toBe(text);
  }
});
