import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withCommands } from '../../infra/app/command-table.ts';
import { runAlone } from '../cli/command-runner.ts';

it('README has each command, as `npm run generate:commands` writes it', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const { out } = await runAlone(['complete', '--', ''], { home: import.meta.dirname });
  expect(readme).toBe(withCommands(readme, out));
});
